import type { Result } from '../feature.ts'

/** How long it was, as the provider says; where it does not, our guess from the size, which is told as one. */
export function reportedSeconds(
  reported: number | null | undefined,
  guess: number,
): Pick<Result<unknown>, 'units' | 'estimated'> {
  return reported ? { units: Math.ceil(reported) } : { units: Math.max(1, guess), estimated: true }
}
