import { capacityFor, FairSemaphore } from '../fairness/fair-semaphore.ts'
import type { Database } from './database.ts'

/** Of one owner. More of them wait here, and not in the queue that everybody's calls stand in. */
const SCANS_AT_ONCE = 2
const NEVER = new AbortController().signal

const scans = new WeakMap<Database, FairSemaphore>()

/**
 * Runs a query whose cost grows with all that an owner has: counts, sums, far pages. A store answers one after the other (or
 * over a few connections), so thousands of these at once would hold up everybody.
 */
export async function scanFairly<Result>(db: Database, owner: string, scan: () => Promise<Result>): Promise<Result> {
  const semaphore = scansOf(db)
  await semaphore.acquire(owner, 1, NEVER)
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
