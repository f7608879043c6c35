import { DEFAULT_SHARE } from './fair-semaphore.ts'

/**
 * How much may be claimed from a queue at once: up to `limit` items of any owner. With `maxRunning`, only owners with at
 * most that many running items may claim, one item each; the others have used their share.
 */
export type ClaimCapacity = { limit: number; maxRunning?: number }

/** Shares places between owners like FairSemaphore, for items whose owner is known only after they are claimed. */
export function claimCapacity(running: ReadonlyMap<string, number>, capacity: number): ClaimCapacity {
  const counts = [...running.values()]
  const free = counts.reduce((rest, count) => rest - count, capacity)
  // If even the owner with the most running items may claim this many, any owner may.
  const limit = Math.floor((DEFAULT_SHARE * free - Math.max(0, ...counts)) / (DEFAULT_SHARE + 1))
  if (limit > 0) return { limit }
  return { limit: free, maxRunning: Math.max(0, DEFAULT_SHARE * (free - 1) - 1) }
}
