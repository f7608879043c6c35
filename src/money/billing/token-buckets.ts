import type { Price, Rates, SteppedRates } from '../../platform/catalog/catalog.ts'
import type { Usage } from '../../contract/chat-reply.ts'

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

/** As the specification says: half the price, for more latency. The catalog has the tiers of providers that price it otherwise. */
const FLEX_FACTOR = 0.5
/** Tiers that differ from the standard price. Where the catalog has no price of them, their cost is unknown. */
const DEARER_TIERS: ReadonlySet<string> = new Set([
  ...['priority', 'scale', 'fast', 'ultrafast', 'performance', 'reserved', 'provisioned'],
])

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
  const rates = ratesOf(tokens, price, serviceTier)
  if (!rates) return null
  const priced = pricedBuckets(tokens, rates)
  let perMillion = 0
  for (const bucket in priced) perMillion += priced[bucket]!
  return withoutDust(perMillion / 1_000_000)
}

/** What each bucket costs in USD, as `costOf` adds it up. Empty buckets are left out; nothing if the cost is not known. */
export function bucketCosts(
  tokens: Tokens,
  price: Price | null | undefined,
  serviceTier?: string | null,
): Record<string, number> {
  const costs: Record<string, number> = {}
  const rates = ratesOf(tokens, price, serviceTier)
  if (!rates) return costs
  const priced = pricedBuckets(tokens, rates)
  for (const bucket in priced) if (priced[bucket]! > 0) costs[bucket] = priced[bucket]! / 1_000_000
  return costs
}

/** Tokens times their price per million, by the name of their bucket in the request log, which has one for both cache writes. */
function pricedBuckets(tokens: Tokens, rates: Rates): Record<string, number> {
  const cacheWrite = rates.cacheWrite ?? rates.input
  return {
    input: tokens.plainInput * rates.input,
    cache_read: tokens.cacheRead * (rates.cacheRead ?? rates.input),
    cache_write: tokens.cacheWrite * cacheWrite + tokens.cacheWrite1h * (rates.cacheWrite1h ?? cacheWrite),
    audio_input: tokens.audioInput * (rates.audioInput ?? 0),
    image_input: tokens.imageInput * (rates.imageInput ?? rates.input),
    output: (tokens.plainOutput + tokens.reasoning) * rates.output,
    audio_output: tokens.audioOutput * (rates.audioOutput ?? 0),
    image_output: tokens.imageOutput * (rates.imageOutput ?? rates.output),
  }
}

/** Undefined if a price of these tokens is not known. */
function ratesOf(tokens: Tokens, price: Price | null | undefined, tier?: string | null): Rates | undefined {
  const ofTier = price && priceOfTier(price, tier)
  if (!ofTier) return undefined
  const rates = ratesAt(ofTier, inputOf(tokens))
  const lacksAudio =
    (tokens.audioInput > 0 && rates.audioInput === undefined) ||
    (tokens.audioOutput > 0 && rates.audioOutput === undefined)
  return lacksAudio ? undefined : rates
}

/** The price of a service tier; undefined if it differs from the standard price and is not known. */
export function priceOfTier(price: Price, serviceTier: string | null | undefined): SteppedRates | undefined {
  if (!serviceTier) return price
  const { serviceTiers } = price
  if (serviceTiers && Object.hasOwn(serviceTiers, serviceTier)) return serviceTiers[serviceTier]
  if (serviceTier === 'flex') return halved(price)
  return DEARER_TIERS.has(serviceTier) ? undefined : price
}

function halved({ tiers, serviceTiers, cacheStorage, ...rates }: Price): SteppedRates {
  const half = (all: Rates) =>
    Object.fromEntries(Object.entries(all).map(([name, usd]) => [name, usd * FLEX_FACTOR])) as Rates
  return { ...half(rates), ...(tiers && { tiers: tiers.map(({ above, ...step }) => ({ above, ...half(step) })) }) }
}

/** A long prompt moves the whole request into a more expensive step of the price. */
function ratesAt(price: SteppedRates, input: number): Rates {
  return price.tiers?.findLast(({ above }) => input > above) ?? price
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

/** Removes floating-point errors (0.1 + 0.2). Twelve decimals of a dollar are enough for any call and any sum of calls. */
export function withoutDust(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12
}
