import type { Price, Rates } from '../catalog/catalog.ts'
import type { Usage } from '../contract/chat-reply.ts'

/** Tokens in buckets that do not overlap: they sum to the provider's prompt and completion totals. */
export type Tokens = {
  plainInput: number
  cacheRead: number
  /** Kept for minutes. */
  cacheWrite: number
  /** Kept for an hour. */
  cacheWrite1h: number
  audioInput: number
  imageInput: number
  plainOutput: number
  reasoning: number
  audioOutput: number
  imageOutput: number
}

/** The spec's word: half the price, for more latency. */
const FLEX_FACTOR = 0.5
/** Tiers whose price is not in the catalog: the cost is unknown then, not the standard one. */
const UNPRICED_TIERS: ReadonlySet<string> = new Set(['priority', 'scale', 'fast'])

/** Buckets of one total: what the provider says of a part is taken off the rest, and never more than there is. */
export function toTokens(usage: Usage): Tokens {
  const read = parts(usage.prompt_tokens, usage.prompt_tokens_details)
  const cacheRead = read('cached_tokens')
  const cacheWrite1h = read('cache_write_1h_tokens')
  // Providers count the hour among the writes.
  const cacheWrite = read('cache_write_tokens', cacheWrite1h)
  const audioInput = read('audio_tokens')
  const imageInput = read('image_tokens')
  const written = parts(usage.completion_tokens, usage.completion_tokens_details)
  const reasoning = written('reasoning_tokens')
  const audioOutput = written('audio_tokens')
  const imageOutput = written('image_tokens')
  return {
    plainInput: read.rest(),
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    audioInput,
    imageInput,
    plainOutput: written.rest(),
    reasoning,
    audioOutput,
    imageOutput,
  }
}

/** Takes one part after the other off a total. */
function parts(total: number, details: object | null | undefined) {
  let rest = Math.max(0, total)
  const take = (name: string, less = 0) => {
    if (!details) return 0
    const value = (details as Record<string, unknown>)[name]
    const part = typeof value === 'number' && value > less ? Math.min(value - less, rest) : 0
    rest -= part
    return part
  }
  return Object.assign(take, { rest: () => rest })
}

/** USD, or null when it cannot be known: no price, or tokens of a kind the price does not speak of. */
export function costOf(tokens: Tokens, price: Price | null | undefined, serviceTier?: string | null): number | null {
  if (!price || (serviceTier && UNPRICED_TIERS.has(serviceTier))) return null
  const rates = ratesFor(price, inputOf(tokens))
  if (tokens.audioInput > 0 && rates.audioInput === undefined) return null
  if (tokens.audioOutput > 0 && rates.audioOutput === undefined) return null
  const cacheWrite = rates.cacheWrite ?? rates.input
  const perMillion =
    tokens.plainInput * rates.input +
    tokens.cacheRead * (rates.cacheRead ?? rates.input) +
    tokens.cacheWrite * cacheWrite +
    tokens.cacheWrite1h * (rates.cacheWrite1h ?? cacheWrite) +
    tokens.audioInput * (rates.audioInput ?? 0) +
    tokens.imageInput * (rates.imageInput ?? rates.input) +
    (tokens.plainOutput + tokens.reasoning) * rates.output +
    tokens.audioOutput * (rates.audioOutput ?? 0) +
    tokens.imageOutput * (rates.imageOutput ?? rates.output)
  return withoutDust((perMillion * (serviceTier === 'flex' ? FLEX_FACTOR : 1)) / 1_000_000)
}

export function inputOf({ plainInput, cacheRead, cacheWrite, cacheWrite1h, audioInput, imageInput }: Tokens): number {
  return plainInput + cacheRead + cacheWrite + cacheWrite1h + audioInput + imageInput
}

export function outputOf({ plainOutput, reasoning, audioOutput, imageOutput }: Tokens): number {
  return plainOutput + reasoning + audioOutput + imageOutput
}

/** The buckets that have no column of their own; null where there is nothing in them. */
export function rareTokens(tokens: Tokens): Record<string, number> | null {
  const { cacheWrite1h, audioInput, imageInput, audioOutput, imageOutput } = tokens
  if (cacheWrite1h + audioInput + imageInput + audioOutput + imageOutput === 0) return null
  const rare = { cacheWrite1h, audioInput, imageInput, audioOutput, imageOutput }
  return Object.fromEntries(Object.entries(rare).filter(([, count]) => count > 0))
}

/** A long prompt moves the whole request into a dearer tier. */
function ratesFor(price: Price, input: number): Rates {
  return price.tiers?.findLast(({ above }) => input > above) ?? price
}

/** 0.1 + 0.2: twelve decimals of a dollar are enough for any single call. */
function withoutDust(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12
}
