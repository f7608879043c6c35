/** Between one attempt and the next: one attempt and up to three more. */
const DELAYS_MS = [2_000, 8_000, 30_000]
const JITTER = 0.2
const MAX_DELAY_MS = 30_000

/** How long to wait after that many attempts; undefined when that was the last one. */
export function retryDelayMs(attempts: number, random: () => number, delaysMs = DELAYS_MS): number | undefined {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return undefined
  // Spread below the limit and not cut off at it: a crowd that failed together must not come back together.
  const [least, max] = [delay * (1 - JITTER), Math.min(delay * (1 + JITTER), MAX_DELAY_MS)]
  return Math.round(least + random() * (max - least))
}
