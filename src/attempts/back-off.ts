import { setTimeout as wait } from 'node:timers/promises'

/** Back-off: doubled each time, and a random half of it taken away, so that those who failed together do not come back together. */
const FIRST_MS = 300
const MAX_MS = 5_000

export function backOffMs(retries: number, random = Math.random): number {
  const max = Math.min(MAX_MS, FIRST_MS * 2 ** retries)
  return Math.round(max * (0.5 + random() / 2))
}

/** Ends early, with the signal's own reason, when it is raised. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch {
    signal.throwIfAborted()
  }
}
