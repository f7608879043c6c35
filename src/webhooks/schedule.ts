/** The delays between attempts: one first attempt and up to three more. */
const DELAYS_MS = [2_000, 8_000, 30_000]
const JITTER = 0.2
const MAX_DELAY_MS = 30_000

/** How long to wait after this number of attempts. Undefined after the last one. */
export function retryDelayMs(attempts: number, random: () => number, delaysMs = DELAYS_MS): number | undefined {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return undefined
  // The jitter stays below the limit instead of being cut off at it, so that deliveries that failed together do not return
  // together.
  const [least, max] = [delay * (1 - JITTER), Math.min(delay * (1 + JITTER), MAX_DELAY_MS)]
  return Math.round(least + random() * (max - least))
}
