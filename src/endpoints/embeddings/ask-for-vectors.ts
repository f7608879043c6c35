import type { Provider } from '../../platform/config/provider-settings.ts'
import { EmbeddingsRequest } from '../../contract/embeddings.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import type {
  EmbeddedText,
  EmbeddingCall,
  EmbeddingCodec,
  EmbeddingReply,
} from '../../translation/dialects/embedding-codec.ts'
import { EMBEDDING_WIRES, type EmbeddingWire } from '../../translation/dialects/embedding-wires/index.ts'
import { toTokens } from '../../money/billing/token-buckets.ts'
import { costOfWork } from '../../money/billing/work-price.ts'
import { inOneOrder } from '../../calls/attempts/attempt.ts'
import type { Bill } from '../../calls/order.ts'
import { exchangeWith, priceVersionOf } from '../../calls/upstream/endpoint-plan.ts'
import { governFields } from '../../calls/upstream/governed-fields.ts'
import { mapConcurrently } from './map-concurrently.ts'
import type { WorstCase } from '../../money/limits/worst-case.ts'
import { tokenWorstCase } from '../../calls/upstream/bounds/token-worst-case.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'
import { MB } from '../../base/units/units.ts'
import { keepWritten } from '../../translation/json/written-numbers.ts'

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

/** Asks one target, in as many requests as its wire format needs. Each is an order of its own. */
export async function askForVectors(body: EmbeddingsRequest, attempt: ChatAttempt): Promise<EmbeddingReply> {
  const input = allowed(toCall(body), attempt.target)
  const reply = await ask(input, body.extra_headers ?? {}, attempt)
  if (reply.data.some(({ embedding }) => isTooLong(embedding)))
    throw new UpstreamProblem('garbage', `a vector of the answer has more than ${MAX_DIMENSIONS} numbers`)
  // The gateway does not interpret these values.
  if (reply.more || reply.data.length === countOf(input.input)) return reply
  throw new UpstreamProblem('garbage', 'the number of vectors in the answer differs from the number of texts')
}

const USER_DROPPED: Note = { field: 'user', action: 'dropped', reason: 'this provider has no field for the end user' }

/** Fields of the request that the target is not told. */
export function notesOfVectors(body: EmbeddingsRequest, { provider }: ChatTarget): readonly Note[] {
  const notes = governFields(toCall(body).extra, EmbeddingsRequest.properties, provider)?.notes ?? []
  return body.user != null && !provider.simulated && !codecOf(provider)!.takesUser ? [...notes, USER_DROPPED] : notes
}

/** What the vectors of one request cost. If the provider counted no tokens, they are estimated from the text. */
export function billOfVectors(input: EmbeddingCall['input'], reply: EmbeddingReply, target: ChatTarget): Bill {
  const bill = billOfTokens(tokensOf(input, reply), target)
  return { ...bill, estimated: reply.tokens === undefined, priceVersion: priceVersionOf(target) }
}

/** The tokens that were counted, or else estimated. */
export function tokensOf(input: EmbeddingCall['input'], reply: EmbeddingReply): number {
  return reply.tokens ?? estimatedTokens(input)
}

function billOfTokens(prompt_tokens: number, { entry }: ChatTarget): Bill {
  const tokens = toTokens({ prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens })
  return { cost: costOfWork(entry, { tokens, requests: 1 }), tokens }
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
  const own = Object.entries(rest).filter(([field, value]) => value != null && !GATEWAY_FIELDS.has(field))
  const extra = keepWritten(Object.fromEntries(own), rest)
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

async function ask(input: EmbeddingCall, headers: Record<string, string>, attempt: ChatAttempt) {
  const { target } = attempt
  const codec = codecOf(target.provider)!
  const replies = await mapConcurrently(split(input, codec.max(target)), AT_ONCE, (part, signal) => {
    const wire = codec.encode(part, target)
    for (const name in headers) wire.headers[name.toLowerCase()] ??= headers[name]!
    return inOneOrder(attempt, {
      likelyBill: () => billOfTokens(estimatedTokens(part.input), target),
      ask: async (order) => {
        // Another request of the call has failed, so the call does not wait for the rest.
        signal.addEventListener('abort', () => order.left(), { once: true })
        const exchange = exchangeWith(attempt, order)
        const response = await exchange.send(wire, codec.problem, signal)
        return codec.decode({ headers: response.headers, text: await exchange.read(response, MAX_ANSWER_BYTES) })
      },
      billOf: (reply) => billOfVectors(part.input, reply, target),
    })
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
