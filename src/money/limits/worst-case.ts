import { isRate, type Limit, NANOS_PER_DOLLAR } from '../../platform/config/spend-limits/limit.ts'

/** The most that one attempt at a target can use. */
export type WorstCase = {
  inputTokens: number
  /** The tokens of the prompt were counted. Otherwise each of its bytes is taken for one. */
  isCounted?: boolean | undefined
  /** Of all answers together. */
  outputTokens: number
  /** How many answers there are, if there may be several. */
  answers?: number | undefined
  /** In billionths of a dollar; null if the price is not known. */
  usd: number | null
  /** The part of `usd` that each output token adds. */
  usdPerOutputToken: number
  /** How many tokens the caller asked for; undefined if it did not say. */
  askedOutput?: number | undefined
  /** Neither the caller nor the model limits the answer, so `outputTokens` has to be sent as its limit. */
  isImposed?: boolean | undefined
  /** Only the answer of a chat can be shortened, and only for chats a limit may assume a price: other calls may not be paid by tokens. */
  isChat: boolean
}

/** For work that is not paid by tokens. An unknown price is never taken for zero. */
export function fixedCost(usd: number | null): WorstCase {
  return { inputTokens: 0, outputTokens: 0, usd: toNanosUp(usd), usdPerOutputToken: 0, isChat: false }
}

/** Rounded up: a reservation is never smaller than what is reserved for. */
export function toNanosUp(usd: number | null): number | null {
  return usd === null ? null : Math.ceil(usd * NANOS_PER_DOLLAR - ROUNDING)
}

/** What floating point adds by accident must not become a whole billionth. */
const ROUNDING = 1e-6
const NANOS_PER_MILLIONTH = NANOS_PER_DOLLAR / 1_000_000

/** Prices are in dollars per million tokens. */
export function nanosPerToken(price: number): number {
  return price * NANOS_PER_MILLIONTH
}

/**
 * A rate limit reserves an answer of usual length, not the longest one that the model could give. A longer answer is
 * charged when the call ends.
 */
const USUAL_OUTPUT = 1_024
const BYTES_PER_TOKEN = 4

/** What a call needs of a limit; null if it cannot be known. */
export function amountFor(limit: Limit, worst: WorstCase, cap: number): number | null {
  switch (limit.unit) {
    case 'usd':
      return worst.usd ?? assumedUsd(limit, worst)
    case 'requests':
    case 'concurrent':
      return 1
    default:
      return isRate(limit) ? Math.min(cap, usualTokens(limit, worst)) : tokensOf(limit, worst)
  }
}

/** What each output token adds to the amount. */
export function perOutputToken(limit: Limit, worst: WorstCase): number {
  if (limit.unit === 'usd') return worst.usd === null ? assumedPerOutput(limit) : worst.usdPerOutputToken
  return limit.unit === 'tokens' || limit.unit === 'output_tokens' ? 1 : 0
}

/** The part of the amount that the answer adds. */
export function outputPart(limit: Limit, worst: WorstCase): number {
  return isRate(limit) ? 0 : worst.outputTokens * perOutputToken(limit, worst)
}

/** The part of the amount that the prompt adds, and that counting its tokens could make smaller. */
export function inputPart(limit: Limit, worst: WorstCase): number {
  const isCounted = limit.unit === 'usd' || limit.unit === 'tokens' || limit.unit === 'input_tokens'
  if (!isCounted || isRate(limit)) return 0
  return limit.unit === 'usd' ? (amountFor(limit, worst, 0) ?? 0) - outputPart(limit, worst) : worst.inputTokens
}

/** The same worst case, which costs nothing if the provider is free. */
export function ofFreeOrPaid(worst: WorstCase, { provider }: { provider: { free?: boolean | undefined } }): WorstCase {
  return provider.free ? { ...worst, usd: 0, usdPerOutputToken: 0 } : worst
}

function assumedUsd(limit: Limit, { inputTokens, outputTokens, isChat }: WorstCase): number | null {
  return isChat ? assumedCost(limit, inputTokens, outputTokens) : null
}

function assumedPerOutput({ assume }: Limit): number {
  return assume ? nanosPerToken(assume.output) : 0
}

/** What tokens cost at the price that a limit assumes; null without one. */
export function assumedCost({ assume }: Limit, inputTokens: number, outputTokens: number): number | null {
  return assume && Math.ceil(inputTokens * nanosPerToken(assume.input) + outputTokens * nanosPerToken(assume.output))
}

function tokensOf({ unit }: Limit, { inputTokens, outputTokens }: WorstCase): number {
  if (unit === 'input_tokens') return inputTokens
  return unit === 'output_tokens' ? outputTokens : inputTokens + outputTokens
}

function usualTokens(limit: Limit, worst: WorstCase): number {
  const outputTokens = Math.min(worst.outputTokens, worst.askedOutput ?? USUAL_OUTPUT)
  return tokensOf(limit, { ...worst, inputTokens: usualInput(worst), outputTokens })
}

function usualInput({ inputTokens, isCounted }: WorstCase): number {
  return isCounted ? inputTokens : Math.ceil(inputTokens / BYTES_PER_TOKEN)
}

/** How many output tokens an amount was reserved for. */
export function outputIn(amount: number, limit: Limit, worst: WorstCase): number {
  if (!isRate(limit)) return worst.outputTokens
  return amount - tokensOf(limit, { ...worst, inputTokens: usualInput(worst), outputTokens: 0 })
}
