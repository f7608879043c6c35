import Type from '../../schema/type.ts'

const DECIMALS = 4

/** A field that holds how sure or how strong something is, from 0 to 1. */
export function scoreField(description: string) {
  return Type.Number({ minimum: 0, maximum: 1, description })
}

/**
 * A normalised score as it is given out. Digits beyond the fourth mean nothing, and a number below 0.0001 is written
 * differently by different JSON writers, which breaks the signature of a webhook that was parsed and written again.
 */
export function score(value: number): number {
  return Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS
}
