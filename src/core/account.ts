import type { Price, Rates } from '../catalog/catalog.ts'
import type { Usage } from '../contract/chat-reply.ts'

/** Tokens in buckets that do not overlap: they sum to the provider's prompt and completion totals. */
export type Tokens = {
  plainInput: number
  cacheRead: number
  cacheWrite: number
  audioInput: number
  plainOutput: number
  reasoning: number
  audioOutput: number
}

/** The spec's word: half the price, for more latency. */
const FLEX_FACTOR = 0.5
/** Tiers whose price is not in the catalog: the cost is unknown then, not the standard one. */
const UNPRICED_TIERS: ReadonlySet<string> = new Set(['priority', 'scale', 'fast'])

export function toTokens(usage: Usage): Tokens {
  const cacheRead = detail(usage.prompt_tokens_details, 'cached_tokens')
  const cacheWrite = detail(usage.prompt_tokens_details, 'cache_write_tokens')
  const audioInput = detail(usage.prompt_tokens_details, 'audio_tokens')
  const reasoning = detail(usage.completion_tokens_details, 'reasoning_tokens')
  const audioOutput = detail(usage.completion_tokens_details, 'audio_tokens')
  return {
    plainInput: Math.max(0, usage.prompt_tokens - cacheRead - cacheWrite - audioInput),
    cacheRead,
    cacheWrite,
    audioInput,
    plainOutput: Math.max(0, usage.completion_tokens - reasoning - audioOutput),
    reasoning,
    audioOutput,
  }
}

/** USD, or null when it cannot be known: no price, or tokens of a kind the price does not speak of. */
export function costOf(tokens: Tokens, price: Price | null | undefined, serviceTier?: string | null): number | null {
  if (!price || (serviceTier && UNPRICED_TIERS.has(serviceTier))) return null
  const rates = ratesFor(price, inputOf(tokens))
  if (tokens.audioInput > 0 && rates.audioInput === undefined) return null
  if (tokens.audioOutput > 0 && rates.audioOutput === undefined) return null
  const perMillion =
    tokens.plainInput * rates.input +
    tokens.cacheRead * (rates.cacheRead ?? rates.input) +
    tokens.cacheWrite * (rates.cacheWrite ?? rates.input) +
    tokens.audioInput * (rates.audioInput ?? 0) +
    (tokens.plainOutput + tokens.reasoning) * rates.output +
    tokens.audioOutput * (rates.audioOutput ?? 0)
  return withoutDust((perMillion * (serviceTier === 'flex' ? FLEX_FACTOR : 1)) / 1_000_000)
}

export function inputOf({ plainInput, cacheRead, cacheWrite, audioInput }: Tokens): number {
  return plainInput + cacheRead + cacheWrite + audioInput
}

export function outputOf({ plainOutput, reasoning, audioOutput }: Tokens): number {
  return plainOutput + reasoning + audioOutput
}

/** A long prompt moves the whole request into a dearer tier. */
function ratesFor(price: Price, input: number): Rates {
  return price.tiers?.findLast(({ above }) => input > above) ?? price
}

/** 0.1 + 0.2: twelve decimals of a dollar are enough for any single call. */
function withoutDust(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12
}

function detail(details: object | null | undefined, name: string): number {
  const value = (details as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'number' && value > 0 ? value : 0
}
