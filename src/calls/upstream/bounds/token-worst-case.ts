import type { Model, Price, Rates } from '../../../platform/catalog/catalog.ts'
import { toTokens } from '../../../money/billing/token-buckets.ts'
import { costOfWork, feeOfRequests, isPaidByRequest } from '../../../money/billing/work-price.ts'
import type { Bill } from '../../order.ts'
import { nanosPerToken, toNanosUp, type WorstCase } from '../../../money/limits/worst-case.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { toDollars } from '../../../platform/store/ledger/money.ts'
import { CHARS_PER_TOKEN } from '../../../translation/wire/chars-per-token.ts'

// The most that tokens can cost, and the most tokens that a request can have.

/** Roles, separators and names around a message or a tool. */
const TOKENS_PER_MESSAGE = 16
/** The most that one picture takes of the models that are known. */
export const TOKENS_PER_PICTURE = 40_000

type TokenCount = Pick<WorstCase, 'inputTokens' | 'outputTokens'>

/** Searches, seconds of recordings, and whether the model may read a recording at all. */
type Besides = { searches?: number; seconds?: number; mayHear?: boolean }

/** With the dearest price of each side; null if the price is not known. */
export function usdOfTokens(
  { inputTokens, outputTokens }: TokenCount,
  entry: Model | undefined,
  besides: Besides = {},
) {
  if (!entry?.price) return { usd: null, usdPerOutputToken: 0 }
  const { text, any, output } = dearestFor(entry, entry.price, inputTokens)
  const input = besides.mayHear === false ? text : any
  const fees = feesOf(entry, besides)
  return { usd: Math.ceil(inputTokens * input + outputTokens * output) + fees, usdPerOutputToken: output }
}

/**
 * The most that a token costs, in billionths of a dollar, for prompts of more than `above` tokens: a token of an input without
 * recordings, of any input, and of the output.
 */
type Dearest = { above: number; text: number; any: number; output: number }

/** Prices change with the catalog, whose models are then other objects. */
const dearest = new WeakMap<Model, readonly Dearest[]>()

function dearestFor(entry: Model, price: Price, inputTokens: number): Dearest {
  const steps = dearest.get(entry) ?? remember(entry, dearestSteps(entry, price))
  return steps.findLast(({ above }) => inputTokens > above) ?? steps[0]!
}

function remember(entry: Model, steps: readonly Dearest[]): readonly Dearest[] {
  dearest.set(entry, steps)
  return steps
}

/** One for each tier: with the prices of all tiers that the prompt could reach, because its tokens are not counted yet. */
function dearestSteps(entry: Model, price: Price): Dearest[] {
  const factor = Math.max(1, ...Object.values(entry.geoFactors ?? {}))
  const tiers = price.tiers ?? []
  const bounds = tiers.map(({ above }) => above).toSorted((one, other) => one - other)
  return [Number.NEGATIVE_INFINITY, ...bounds].map((above) => {
    const rates = [price, ...tiers.filter((tier) => tier.above <= above)]
    const nanos = (usd: number) => nanosPerToken(usd) * factor
    const [text, cached] = [dearestText(rates), cachedInput(price, rates)]
    const any = Math.max(text, ...rates.map(({ audioInput = 0 }) => audioInput))
    return { above, text: nanos(text + cached), any: nanos(any + cached), output: nanos(dearestOutput(rates, entry)) }
  })
}

/** Content that the provider keeps for later is written, stored and then read by the same call. */
function cachedInput({ cacheStorage }: Price, rates: readonly Rates[]): number {
  if (cacheStorage === undefined) return 0
  return cacheStorage + Math.max(...rates.map(({ cacheRead, input }) => cacheRead ?? input))
}

function dearestText(rates: readonly Rates[]): number {
  const all = rates.flatMap((one) => [one.input, one.cacheRead, one.cacheWrite, one.cacheWrite1h, one.imageInput])
  return Math.max(...all.filter((price) => price !== undefined))
}

function dearestOutput(rates: readonly Rates[], { per }: Model): number {
  const all = rates.flatMap((one) => [one.output, one.audioOutput, one.imageOutput])
  const more = (per?.reasoning_token ?? 0) + (per?.citation_token ?? 0)
  return Math.max(...all.filter((price) => price !== undefined)) + more * TOKENS_PER_PRICE
}

const TOKENS_PER_PRICE = 1_000_000

/** What is paid beside the tokens. */
function feesOf({ per, perSearchContext }: Model, { searches = 0, seconds = 0 }: Besides): number {
  if (!per && !perSearchContext) return 0
  const ofContext = Math.max(0, ...Object.values(perSearchContext ?? {}))
  const ofSearches = searches * (per?.search ?? 0) + (per?.searched_request ?? 0)
  return toNanosUp((per?.request ?? 0) + ofSearches + seconds * (per?.second ?? 0) + ofContext) ?? 0
}

/** For models that are paid by tokens or by requests, and whose answer the gateway cannot shorten. */
export function tokenWorstCase(
  entry: Model | undefined,
  inputTokens: number,
  outputTokens = 0,
  requests = 1,
): WorstCase {
  const tokens = { inputTokens, outputTokens }
  const { usd, usdPerOutputToken } = usdOfTokens(tokens, entry)
  const others = toNanosUp(feeOfRequests(entry, isPaidByRequest(entry) ? requests : requests - 1)) ?? 0
  const total = usd === null && !isPaidByRequest(entry) ? null : (usd ?? 0) + others
  return { ...tokens, usd: total, usdPerOutputToken, askedOutput: outputTokens, isChat: false }
}

/** What the texts in a value most likely cost as a prompt, with so many tokens of an answer. */
export function likelyBillOfPrompt(entry: Model | undefined, bytes: number, outputTokens = 0): Bill {
  const tokens = toTokens({ prompt_tokens: Math.ceil(bytes / CHARS_PER_TOKEN), completion_tokens: outputTokens })
  return { cost: costOfWork(entry, { tokens }), tokens }
}

const MAX_DEPTH = 64

/** The bytes of all texts in a value, which are at least as many as its tokens, and something for what is not text. */
export function bytesIn(value: unknown, depth = 0, mayShow = true): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return TOKENS_PER_VALUE
  // Deeper than any request that is understood: every character of it may be a token.
  if (depth > MAX_DEPTH) return Buffer.byteLength(JSON.stringify(value))
  let bytes = TOKENS_PER_MESSAGE
  if (Array.isArray(value)) {
    for (const one of value) bytes += bytesIn(one, depth + 1, mayShow)
    return bytes
  }
  const members = value as Record<string, unknown>
  if (mayShow && isPicture(members)) return bytes + bytesOfPicture(members, depth)
  for (const name in members) bytes += name.length + bytesOfField(name, members[name], depth + 1, mayShow)
  return bytes
}

/** Of a member that holds any JSON that the caller likes, a model reads all, also what looks like a picture. */
export function bytesOfField(name: string, value: unknown, depth = 0, mayShow = true): number {
  const isJson = ANY_JSON.has(name) || (name === 'input' && isRecord(value))
  return bytesIn(value, depth, mayShow && !isJson)
}

/** Of the fields that are not in the contract: they are sent, and a model may read them. */
export function bytesOfUnknown(body: object, { properties }: { properties: object }): number {
  let bytes = 0
  for (const name in body) {
    if (Object.hasOwn(properties, name)) continue
    const value = (body as Record<string, unknown>)[name]
    if (value != null) bytes += bytesOfField(name, value)
  }
  return bytes
}

/** What a request costs that does not say it: as much as was reserved for it. */
export function billOfWorst({ usd, inputTokens, outputTokens }: WorstCase): Bill {
  const tokens = toTokens({ prompt_tokens: inputTokens, completion_tokens: outputTokens })
  return { cost: usd === null ? null : toDollars(usd), tokens }
}

/** Schemas, tools, and what tools are called with and answer. */
const ANY_JSON: ReadonlySet<string> = new Set([
  ...['tools', 'functions', 'parameters', 'parametersJsonSchema', 'input_schema', 'schema', 'json_schema'],
  ...['response_format', 'args', 'arguments', 'response'],
])

/** All other members of its object are counted as text, so that no text passes for a picture. */
function bytesOfPicture(picture: Record<string, unknown>, depth: number): number {
  let bytes = TOKENS_PER_PICTURE
  for (const name in picture) {
    const value = picture[name]
    if (isRecord(value) && PICTURE_SOURCES.has(name)) bytes += bytesIn({ ...value, url: null, data: null }, depth + 1)
    else if (name !== 'image_url' || typeof value !== 'string') bytes += bytesIn(value, depth + 1)
  }
  return bytes
}

/** The texts that `bytesIn` counts with their bytes, without files: their base64 is not what a model reads. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  if (isPicture(value as Record<string, unknown>) || (value as Record<string, unknown>).type === 'file') return []
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1))
}

const TOKENS_PER_VALUE = 8
const PICTURES: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image'])
const PICTURE_SOURCES: ReadonlySet<string> = new Set(['image_url', 'source', 'image', 'inlineData', 'inline_data'])

/** A picture is paid by its size, not by the bytes of its file. */
function isPicture({ type, inlineData, inline_data }: Record<string, unknown>): boolean {
  if (PICTURES.has(type)) return true
  const data = inlineData ?? inline_data
  const mime = isRecord(data) ? (data.mimeType ?? data.mime_type) : undefined
  return typeof mime === 'string' && mime.startsWith('image/')
}
