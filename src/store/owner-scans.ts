import { capacityFor, FairSemaphore } from '../fairness/fair-semaphore.ts'
import type { Database } from './database.ts'

/** Of one owner. More of them wait here, and not in the queue that everybody's calls stand in. */
const SCANS_AT_ONCE = 2
/** A store does not hear that a client left: what nobody may want any more does not stay in the queue. */
const WAIT_MS = 30_000

const scans = new WeakMap<Database, FairSemaphore>()

/**
 * Runs a query whose cost grows with all that an owner has: counts, sums, far pages. A store answers one after the other (or
 * over a few connections), so thousands of these at once would hold up everybody.
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
