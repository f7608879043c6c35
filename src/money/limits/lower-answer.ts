import { isRate, type Limit } from '../../platform/config/spend-limits/limit.ts'
import { outputIn, perOutputToken, type WorstCase } from './worst-case.ts'

// Answers are shortened to what can be paid, if that is enough to be of use.

/** A caller does not get fewer tokens than this, unless it asked for fewer. */
const LEAST_OUTPUT = 256
/** How often an answer is shortened: another limit may have room for less. */
export const MAX_LOWERINGS = 4

/** What an attempt needs of a limit, and how much of that it does not have yet. */
type Needed = { limit: Limit; amount: number; missing: number }

/** How many output tokens the rest of a limit can pay for; 0 if fewer tokens would not help. */
export function tokensThatFit({ limit, amount, missing }: Needed, worst: WorstCase, room: number): number {
  const each = perOutputToken(limit, worst)
  if (limit.onExceeded !== 'clamp' || !worst.isChat || each === 0) return 0
  const tooMuch = missing - room
  return Math.max(0, Math.floor(outputIn(amount, limit, worst) - Math.ceil(Math.min(tooMuch, amount) / each)))
}

/** Whether an answer of this length is worth its price. */
export function isEnough(outputTokens: number, { askedOutput }: WorstCase): boolean {
  return outputTokens >= Math.min(LEAST_OUTPUT, askedOutput ?? LEAST_OUTPUT)
}

/** The same attempt with fewer tokens to write. */
export function lowered(worst: WorstCase, outputTokens: number): WorstCase {
  const less = worst.outputTokens - outputTokens
  const usd = worst.usd === null ? null : Math.ceil(worst.usd - less * worst.usdPerOutputToken)
  return { ...worst, outputTokens, usd }
}

/** An answer without an end could cost more than was reserved for it. */
export function imposed(worst: WorstCase, limits: readonly Limit[]): number | undefined {
  if (!worst.isImposed) return undefined
  const isBound = limits.some((limit) => limit.mode === 'enforce' && isLengthLimited(limit))
  return isBound ? ofEach(worst) : undefined
}

/** Providers limit the tokens of each answer. */
export function ofEach({ outputTokens, answers = 1 }: WorstCase): number {
  return Math.max(1, Math.floor(outputTokens / answers))
}

function isLengthLimited(limit: Limit): boolean {
  return limit.unit !== 'requests' && limit.unit !== 'concurrent' && limit.unit !== 'input_tokens' && !isRate(limit)
}
