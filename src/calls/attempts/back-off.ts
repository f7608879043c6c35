import { setTimeout as wait } from 'node:timers/promises'

// The wait doubles each time, and up to half of it is taken away at random, so that calls that failed together are not
// retried together.
const FIRST_MS = 300
const MAX_MS = 5_000

export function backOffMs(retries: number, random = Math.random): number {
  const max = Math.min(MAX_MS, FIRST_MS * 2 ** retries)
  return Math.round(max * (0.5 + random() / 2))
}

/** Throws the signal's reason as soon as the signal is raised. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch {
    signal.throwIfAborted()
  }
}
