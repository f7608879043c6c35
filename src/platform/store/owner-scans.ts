import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import type { Database } from './database.ts'

/** Scans of one owner that run at once. Further scans wait here, and not in the queue that all calls share. */
const SCANS_AT_ONCE = 2
/** A store does not notice that a client left, so a scan that waits for too long is dropped. */
const WAIT_MS = 30_000

const scans = new WeakMap<Database, FairSemaphore>()

/**
 * Runs a query whose cost grows with everything that an owner has: counts, sums, far pages. A store answers queries one
 * after the other (or over a few connections), so thousands of these at once would hold up everybody.
 */
export async function scanFairly<Result>(db: Database, owner: string, scan: () => Promise<Result>): Promise<Result> {
  const semaphore = scansOf(db)
  await semaphore.acquireWithin(WAIT_MS, owner)
  try {
    return await scan()
  } finally {
    semaphore.release(owner)
  }
}

function scansOf(db: Database): FairSemaphore {
  const existing = scans.get(db)
  if (existing) return existing
  const made = new FairSemaphore({ capacity: capacityFor(SCANS_AT_ONCE) })
  scans.set(db, made)
  return made
}

/** `expires`: rows that have expired are gone for their owner, although they may still be there. */
const KINDS = [
  { table: 'files', bytes: 'size', expires: true },
  { table: 'conversations', bytes: 'bytes', expires: true },
  { table: 'jobs', bytes: 'bytes', expires: false },
  { table: 'deliveries', bytes: 'bytes', expires: false },
  { table: 'batches', bytes: 'bytes', expires: false },
]

/**
 * SQL: the bytes of everything that an owner has stored. Files, with stored responses and results; conversations; what jobs and
 * responses in the background were given and gave; webhooks about them; answers of batches that run. Each sum is read from an index of its own.
 * @param owner the place of the owner among the values, such as `$1`
 */
export function storedBytes(owner: string): string {
  const parts = KINDS.map(({ table, bytes, expires }) => {
    const alive = expires ? ' AND kept.expires_at > (SELECT now_ms())' : ''
    return `(SELECT COALESCE(SUM(kept.${bytes}), 0) FROM ${table} AS kept WHERE kept.owner = ${owner}${alive})`
  })
  return `(${parts.join(' + ')})`
}

export async function storedBytesOf(db: Database, owner: string): Promise<number> {
  const sql = `SELECT ${storedBytes('$1')} AS bytes`
  const [row] = await scanFairly(db, owner, () => db.query<{ bytes: number }>(sql, [owner]))
  return Number(row?.bytes ?? 0)
}
