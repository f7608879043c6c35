import Type from '../../schema/type.ts'

const DECIMALS = 4

/** A confidence or an intensity, from 0 to 1. */
export function scoreField(description: string) {
  return Type.Number({ minimum: 0, maximum: 1, description })
}

/** The type of a score, for fields that may be null. */
export const Score = Type.Number({ minimum: 0, maximum: 1 })

/**
 * Rounds a score, or a position as a fraction of an image, and keeps it between 0 and 1: providers report 1.0000002, and boxes
 * that reach over the edge. Digits beyond the fourth mean nothing, and JSON writers format numbers below 0.0001 differently, which would
 * break the signature of a webhook that was parsed and written again.
 */
export function score(value: number): number {
  return Math.min(1, Math.max(0, Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS))
}
