import { capacityFor, FairSemaphore } from '../fairness/fair-semaphore.ts'
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
  const known = scans.get(db)
  if (known) return known
  const made = new FairSemaphore({ capacity: capacityFor(SCANS_AT_ONCE) })
  scans.set(db, made)
  return made
}
