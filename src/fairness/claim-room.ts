import { DEFAULT_SHARE } from './fair-semaphore.ts'

/**
 * How much may be claimed from a queue in one go: `limit` pieces, whoever owns them. With `maxRunning`, only from owners with
 * at most so many running, and one piece of each: others are at their share.
 */
export type ClaimCapacity = { limit: number; maxRunning?: number }

/** Shares places between owners as FairSemaphore does, for pieces whose owners are known only when they are claimed. */
export function claimCapacity(running: ReadonlyMap<string, number>, capacity: number): ClaimCapacity {
  const counts = [...running.values()]
  const free = counts.reduce((rest, count) => rest - count, capacity)
  // Whoever has most may take so many: then anybody may.
  const limit = Math.floor((DEFAULT_SHARE * free - Math.max(0, ...counts)) / (DEFAULT_SHARE + 1))
  if (limit > 0) return { limit }
  return { limit: free, maxRunning: Math.max(0, DEFAULT_SHARE * (free - 1) - 1) }
}
