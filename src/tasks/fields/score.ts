import Type from '../../schema/type.ts'

const DECIMALS = 4

/** A confidence or an intensity, from 0 to 1. */
export function scoreField(description: string) {
  return Type.Number({ minimum: 0, maximum: 1, description })
}

/**
 * Rounds a score. Digits beyond the fourth mean nothing, and JSON writers format numbers below 0.0001 differently, which would
 * break the signature of a webhook that was parsed and written again.
 */
export function score(value: number): number {
  return Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS
}
