import type { Provider } from '../config/provider-settings.ts'
import { EmbeddingsRequest } from '../contract/embeddings.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { GATEWAY_FIELDS } from '../dialects/request/gateway-fields.ts'
import type { EmbeddedText, EmbeddingCall, EmbeddingCodec, EmbeddingReply } from '../dialects/embedding-codec.ts'
import { EMBEDDING_WIRES, type EmbeddingWire } from '../dialects/embedding-wires/index.ts'
import { type Tokens, toTokens } from '../billing/token-buckets.ts'
import { costOfWork } from '../billing/work-price.ts'
import type { LikelyBill } from '../calls/call-spending.ts'
import type { Exchange } from '../upstream/forward.ts'
import { governFields } from '../upstream/governed-fields.ts'
import { mapConcurrently } from './map-concurrently.ts'
import type { WorstCase } from '../limits/worst-case.ts'
import { tokenWorstCase } from '../upstream/bounds/token-worst-case.ts'
import type { ChatTarget } from '../routing/route.ts'
import { CHARS_PER_TOKEN } from '../wire/chars-per-token.ts'
import { MB } from '../units/units.ts'

// One model turns texts into vectors, for the endpoint and for tasks.

const MAX_ANSWER_BYTES = 256 * MB
/** Concurrent requests to a provider that accepts only a few texts per request. */
const AT_ONCE = 8
/** More dimensions than any model has. An unpacked number takes several times the bytes of a packed one. */
const MAX_DIMENSIONS = 65_536

/** Whether a provider makes embeddings, with a wire format of its own or that of its dialect. */
export function canEmbed(provider: Provider): boolean {
  return codecOf(provider) !== undefined
}

/** The fields of a search's query and of its documents; undefined if both get the same vectors. */
export function retrievalFields(target: ChatTarget) {
  return codecOf(target.provider)?.retrieval?.(target)
}

/** The texts of the requests that were sent. Some providers take a few at a time, and whoever leaves has not ordered the rest. */
export type SentTexts = EmbeddingCall['input'][]

/** Asks one target, in as many requests as its wire format needs, and notes the texts of each in `sent`. */
export async function askForVectors(
  body: EmbeddingsRequest,
  target: ChatTarget,
  exchange: Exchange,
  sent: SentTexts,
): Promise<EmbeddingReply> {
  const input = allowed(toCall(body), target)
  const reply = await ask(input, { headers: body.extra_headers ?? {}, sent }, target, exchange)
  if (reply.data.some(({ embedding }) => isTooLong(embedding)))
    throw new UpstreamProblem('garbage', `a vector of the answer has more than ${MAX_DIMENSIONS} numbers`)
  // The gateway does not interpret these values.
  if (reply.more || reply.data.length === countOf(input.input)) return reply
  throw new UpstreamProblem('garbage', 'the number of vectors in the answer differs from the number of texts')
}

/** What the vectors cost. If the provider counted no tokens, they are estimated from the text. */
export function costOfVectors(
  { input }: Pick<EmbeddingsRequest, 'input'>,
  reply: EmbeddingReply,
  target: ChatTarget,
): { promptTokens: number; tokens: Tokens; cost: number | null; estimated: boolean } {
  const promptTokens = reply.tokens ?? estimatedTokens(input)
  const tokens = toTokens({ prompt_tokens: promptTokens, completion_tokens: 0, total_tokens: promptTokens })
  const cost = costOfWork(target.entry, { tokens, requests: requestsFor(input, target) })
  return { promptTokens, tokens, cost, estimated: reply.tokens === undefined }
}

/** The most that vectors can cost, if every byte is a token. */
export function vectorsWorstCase(bytes: number, input: EmbeddingsRequest['input'], target: ChatTarget): WorstCase {
  return tokenWorstCase(target.entry, bytes, 0, requestsFor(input, target))
}

/** Into how many requests these texts are split. */
function requestsFor(input: EmbeddingsRequest['input'], target: ChatTarget): number {
  const max = codecOf(target.provider)?.max(target) ?? Number.POSITIVE_INFINITY
  return Math.max(1, Math.ceil(countOf(input) / max))
}

/** The same for vectors that nobody waits for. */
export function likelyBillOfVectors(sent: SentTexts, { entry }: ChatTarget): LikelyBill {
  const prompt_tokens = sent.reduce((sum, input) => sum + estimatedTokens(input), 0)
  const tokens = toTokens({ prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens })
  return { cost: costOfWork(entry, { tokens, requests: sent.length }), tokens }
}

/** Of an input that consists of tokens, their number is known. */
function estimatedTokens(input: EmbeddingsRequest['input']): number {
  if (typeof input === 'string' || typeof input[0] === 'string')
    return Math.ceil(JSON.stringify(input).length / CHARS_PER_TOKEN)
  return input.flat().length
}

export function toNumbers(embedding: string | number[]): number[] {
  if (typeof embedding !== 'string') return embedding
  const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'))
  return [...new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))]
}

function toCall({ model: _, input, dimensions, encoding_format, user, metadata: __, ...rest }: EmbeddingsRequest) {
  const extra = Object.fromEntries(
    Object.entries(rest).filter(([field, value]) => value != null && !GATEWAY_FIELDS.has(field)),
  )
  return {
    input,
    dimensions: dimensions ?? undefined,
    encodingFormat: encoding_format ?? undefined,
    user: user ?? undefined,
    extra,
  }
}

function allowed(input: EmbeddingCall, { provider }: ChatTarget): EmbeddingCall {
  const governed = governFields(input.extra, EmbeddingsRequest.properties, provider)
  return governed ? { ...input, extra: governed.fields } : input
}

/** The provider's own embedding codec, or that of its dialect. */
function codecOf(provider: Provider): EmbeddingCodec | undefined {
  const name = provider.embeddings ?? provider.dialect
  return name && Object.hasOwn(EMBEDDING_WIRES, name) ? EMBEDDING_WIRES[name as EmbeddingWire] : undefined
}

type Asking = { headers: Record<string, string>; sent: SentTexts }

async function ask(input: EmbeddingCall, { headers, sent }: Asking, target: ChatTarget, exchange: Exchange) {
  const codec = codecOf(target.provider)!
  const replies = await mapConcurrently(split(input, codec.max(target)), AT_ONCE, async (part, signal) => {
    const wire = codec.encode(part, target)
    for (const name in headers) wire.headers[name.toLowerCase()] ??= headers[name]!
    sent.push(part.input)
    const response = await exchange.send(wire, codec.problem, signal)
    return codec.decode({ headers: response.headers, text: await exchange.read(response, MAX_ANSWER_BYTES) })
  })
  return joined(replies)
}

/** A packed number has four bytes, which are 16/3 base64 characters. */
function isTooLong(embedding: EmbeddedText['embedding'] = []): boolean {
  return embedding.length > MAX_DIMENSIONS * (typeof embedding === 'string' ? 16 / 3 : 1) + 4
}

/** A list of numbers is one input: the tokens of a text. */
function countOf(input: EmbeddingCall['input']): number {
  return typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length
}

function split(input: EmbeddingCall, max: number): EmbeddingCall[] {
  if (countOf(input.input) <= max) return [input]
  const inputs = input.input as string[]
  return Array.from({ length: Math.ceil(inputs.length / max) }, (_, at) => {
    return { ...input, input: inputs.slice(at * max, (at + 1) * max) }
  })
}

function joined(replies: readonly EmbeddingReply[]): EmbeddingReply {
  if (replies.length === 1) return replies[0]!
  const counts = replies.map(({ tokens }) => tokens)
  const tokens = counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0)
  return { data: replies.flatMap(({ data }) => data), tokens }
}
