import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from './store-unavailable.ts'

/** Retries writes that must not be lost because the store is unavailable for a moment, until the time is up. */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  { pauseMs, forMs }: { pauseMs: number; forMs: number },
): Promise<T> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || waited >= forMs) throw error
      await sleep(pauseMs)
    }
  }
}
