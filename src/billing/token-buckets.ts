import type { Price, Rates } from '../catalog/catalog.ts'
import type { Usage } from '../contract/chat-reply.ts'

/** Tokens in buckets that do not overlap. Together they are the provider's prompt and completion totals. */
export type Tokens = {
  plainInput: number
  cacheRead: number
  /** Written to a cache that lasts minutes. */
  cacheWrite: number
  /** Written to a cache that lasts an hour. */
  cacheWrite1h: number
  audioInput: number
  imageInput: number
  plainOutput: number
  reasoning: number
  audioOutput: number
  imageOutput: number
}

export const NO_TOKENS: Tokens = {
  plainInput: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  plainOutput: 0,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
}

/** As the specification says: half the price, for more latency. */
const FLEX_FACTOR = 0.5
/** Tiers whose prices are not in the catalog. Their cost is unknown; it is not the standard price. */
const UNPRICED_TIERS: ReadonlySet<string> = new Set(['priority', 'scale', 'fast'])

type Counts = Omit<Usage, 'total_tokens'> & Partial<Pick<Usage, 'total_tokens'>>

/** Splits a total into buckets. Each reported part is subtracted from the rest, but never more than there is. */
export function toTokens(usage: Counts): Tokens {
  const read = new Total(usage.prompt_tokens, usage.prompt_tokens_details)
  const cacheRead = read.take('cached_tokens')
  const cacheWrite1h = read.take('cache_write_1h_tokens')
  // Providers include the one-hour writes in the total of writes.
  const cacheWrite = read.take('cache_write_tokens', cacheWrite1h)
  const audioInput = read.take('audio_tokens')
  const imageInput = read.take('image_tokens')
  const written = new Total(usage.completion_tokens, usage.completion_tokens_details)
  const reasoning = written.take('reasoning_tokens')
  const audioOutput = written.take('audio_tokens')
  const imageOutput = written.take('image_tokens')
  return {
    plainInput: read.rest,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    audioInput,
    imageInput,
    plainOutput: written.rest,
    reasoning,
    audioOutput,
    imageOutput,
  }
}

/** A total from which one part after the other is subtracted. */
class Total {
  readonly #details: Record<string, unknown>
  rest: number

  constructor(total: number, details: object | null | undefined) {
    this.#details = (details ?? NO_DETAILS) as Record<string, unknown>
    this.rest = Math.max(0, total)
  }

  take(name: string, less = 0): number {
    const value = this.#details[name]
    const part = typeof value === 'number' && value > less ? Math.min(value - less, this.rest) : 0
    this.rest -= part
    return part
  }
}

const NO_DETAILS = {}

/** The cost in USD. Null if it cannot be known: there is no price, or the price does not cover a kind of tokens. */
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

/** What each bucket costs in USD, as `costOf` adds it up. Empty buckets are left out; nothing if the cost is not known. */
export function bucketCosts(
  tokens: Tokens,
  price: Price | null | undefined,
  serviceTier?: string | null,
): Record<string, number> {
  if (!price || costOf(tokens, price, serviceTier) === null) return {}
  const rates = ratesFor(price, inputOf(tokens))
  const cacheWrite = rates.cacheWrite ?? rates.input
  const factor = (serviceTier === 'flex' ? FLEX_FACTOR : 1) / 1_000_000
  const costs: Record<string, number> = {}
  add('input', tokens.plainInput * rates.input)
  add('cache_read', tokens.cacheRead * (rates.cacheRead ?? rates.input))
  add('cache_write', tokens.cacheWrite * cacheWrite + tokens.cacheWrite1h * (rates.cacheWrite1h ?? cacheWrite))
  add('audio_input', tokens.audioInput * (rates.audioInput ?? 0))
  add('image_input', tokens.imageInput * (rates.imageInput ?? rates.input))
  add('output', (tokens.plainOutput + tokens.reasoning) * rates.output)
  add('audio_output', tokens.audioOutput * (rates.audioOutput ?? 0))
  add('image_output', tokens.imageOutput * (rates.imageOutput ?? rates.output))
  return costs

  function add(bucket: string, perMillion: number) {
    if (perMillion > 0) costs[bucket] = perMillion * factor
  }
}

export function inputOf({ plainInput, cacheRead, cacheWrite, cacheWrite1h, audioInput, imageInput }: Tokens): number {
  return plainInput + cacheRead + cacheWrite + cacheWrite1h + audioInput + imageInput
}

export function outputOf({ plainOutput, reasoning, audioOutput, imageOutput }: Tokens): number {
  return plainOutput + reasoning + audioOutput + imageOutput
}

export function sumOfTokens(one: Tokens, other: Tokens): Tokens {
  const names = Object.keys(one) as (keyof Tokens)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Tokens
}

/** The buckets without a column of their own in the ledger; null if they are all empty. */
export function rareTokens(tokens: Tokens): Record<string, number> | null {
  const { cacheWrite1h, audioInput, imageInput, audioOutput, imageOutput } = tokens
  if (cacheWrite1h + audioInput + imageInput + audioOutput + imageOutput === 0) return null
  const rare = { cacheWrite1h, audioInput, imageInput, audioOutput, imageOutput }
  return Object.fromEntries(Object.entries(rare).filter(([, count]) => count > 0))
}

/** A long prompt moves the whole request into a more expensive tier. */
function ratesFor(price: Price, input: number): Rates {
  return price.tiers?.findLast(({ above }) => input > above) ?? price
}

/** Removes floating-point errors (0.1 + 0.2). Twelve decimals of a dollar are enough for any call and any sum of calls. */
export function withoutDust(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12
}
