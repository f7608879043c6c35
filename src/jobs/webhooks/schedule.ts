import { MINUTE_MS, HOUR_MS } from '../../base/units/units.ts'

/** The delays between attempts: one first attempt and up to three more. */
export const DELAYS_MS: readonly number[] = [2_000, 8_000, 30_000]

/** For what has to arrive even if its receiver is away for days. */
export const PATIENT_DELAYS_MS: readonly number[] = [
  ...DELAYS_MS,
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...Array.from({ length: 71 }, () => HOUR_MS),
]
const JITTER = 0.2
/** Of the first attempts, which callers may wait for. */
const MAX_DELAY_MS = 30_000

/** How long to wait after this number of attempts. Undefined after the last one. */
export function retryDelayMs(attempts: number, random: () => number, delaysMs = DELAYS_MS): number | undefined {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return undefined
  // The jitter stays below the limit instead of being cut off at it, so that deliveries that failed together do not return
  // together.
  const [least, max] = [delay * (1 - JITTER), Math.min(delay * (1 + JITTER), Math.max(delay, MAX_DELAY_MS))]
  return Math.round(least + random() * (max - least))
}
