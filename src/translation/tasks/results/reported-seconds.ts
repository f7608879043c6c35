import type { Result } from '../feature.ts'

/** The duration that the provider reports, or an estimate from the size, which is marked as one. */
export function reportedSeconds(
  reported: number | null | undefined,
  guess: number,
): Pick<Result<unknown>, 'units' | 'estimated'> {
  return reported ? { units: Math.ceil(reported) } : { units: Math.max(1, guess), estimated: true }
}
