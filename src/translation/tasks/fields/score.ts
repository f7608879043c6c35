import Type from '../../../base/schema/type.ts'

const DECIMALS = 4

/** A confidence or an intensity, from 0 to 1. */
export function scoreField(description: string) {
  return Type.Number({ minimum: 0, maximum: 1, description })
}

/** Sums of floating-point numbers exceed 1 by a little; more than that is another scale. */
const MOST = 1.001

/** A score as providers report it. `score` makes ours of it. */
export const ReportedScore = Type.Number({ minimum: 0, maximum: MOST })
/** A sentiment as providers report it, from -1 to 1. */
export const ReportedBalance = Type.Number({ minimum: -MOST, maximum: MOST })

export function isScore(value: number): boolean {
  return value >= 0 && value <= MOST
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

/** 0 if there are none. There may be more numbers than a function takes as arguments. */
export function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, one) => Math.max(most, one), 0)
}
