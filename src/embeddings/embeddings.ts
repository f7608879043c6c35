import { type EmbeddingsReply, EmbeddingsRequest } from '../contract/embeddings.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { GATEWAY_FIELDS } from '../dialects/request/gateway-fields.ts'
import type { EmbeddingCall, EmbeddingCodec, EmbeddingReply } from '../dialects/embedding-codec.ts'
import { EMBEDDING_WIRES, type EmbeddingWire } from '../dialects/embedding-wires/index.ts'
import { recordOf } from '../schema/record.ts'
import { costOf, toTokens } from '../billing/token-buckets.ts'
import { type Call, closeCall, failCall } from '../calls/call.ts'
import { isCustomized } from '../upstream/customized.ts'
import { simulatedEmbeddings } from './embeddings-simulated.ts'
import { type Answered, forward, type Exchange, type Question } from '../upstream/forward.ts'
import { governFields } from '../upstream/governed-fields.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { slotForLarge } from '../calls/large-work.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'
import { spend } from '../calls/task-spending.ts'

const MAX_ANSWER_BYTES = 256 * 1024 * 1024
const CHARS_PER_TOKEN = 4
/** Concurrent requests to a provider that accepts only a few texts per request. */
const AT_ONCE = 8
/** Vectors of a long answer that are converted before other requests get a turn. */
const VECTORS_AT_ONCE = 16
/** More dimensions than any model has. An unpacked number takes several times the bytes of a packed one. */
const MAX_DIMENSIONS = 65_536

export async function embed(body: EmbeddingsRequest, call: Call, context: AppContext): Promise<EmbeddingsReply> {
  try {
    call.isCustomized = () => isCustomized(body, EmbeddingsRequest)
    const answered = await forward(questionOf(body), call, context)
    await slotForLarge(call, context)
    return await present(answered, body, call, context)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, context)
  }
}

function questionOf(body: EmbeddingsRequest): Question<EmbeddingReply> {
  const request = toCall(body)
  return {
    model: body.model,
    fallbacks: body.fallbacks,
    kinds: ['embedding'],
    endpoint: 'embeddings',
    speaks: (target) => codecOf(target) !== undefined,
    ask: (target, exchange) => ask(allowed(request, target), body.extra_headers ?? {}, target, exchange),
    simulate: () => simulatedEmbeddings(body),
  }
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
function codecOf({ provider }: ChatTarget): EmbeddingCodec | undefined {
  const name = provider.embeddings ?? provider.dialect
  return name && Object.hasOwn(EMBEDDING_WIRES, name) ? EMBEDDING_WIRES[name as EmbeddingWire] : undefined
}

async function ask(input: EmbeddingCall, headers: Record<string, string>, target: ChatTarget, exchange: Exchange) {
  const codec = codecOf(target)!
  const replies = await mapConcurrently(split(input, codec.max(target)), AT_ONCE, async (part, signal) => {
    const wire = codec.encode(part, target)
    for (const name in headers) wire.headers[name.toLowerCase()] ??= headers[name]!
    const response = await exchange.send(wire, codec.problem, signal)
    return codec.decode({ headers: response.headers, text: await exchange.read(response, MAX_ANSWER_BYTES) })
  })
  const reply = joined(replies)
  if (reply.data.some(({ embedding }) => isTooLong(embedding)))
    throw new UpstreamProblem('garbage', `a vector of the answer has more than ${MAX_DIMENSIONS} numbers`)
  // The gateway does not interpret these values.
  if (reply.more || reply.data.length === countOf(input)) return reply
  throw new UpstreamProblem('garbage', 'the number of vectors in the answer differs from the number of texts')
}

/** A packed number has four bytes, which are 16/3 base64 characters. */
function isTooLong(embedding: string | number[]): boolean {
  return embedding?.length > MAX_DIMENSIONS * (typeof embedding === 'string' ? 16 / 3 : 1) + 4
}

/** A list of numbers is one input: the tokens of a text. */
function countOf({ input }: EmbeddingCall): number {
  return typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length
}

function split(input: EmbeddingCall, max: number): EmbeddingCall[] {
  if (countOf(input) <= max) return [input]
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

async function present(
  { target, reply }: Answered<EmbeddingReply>,
  body: EmbeddingsRequest,
  call: Call,
  context: AppContext,
): Promise<EmbeddingsReply> {
  const prompt_tokens = reply.tokens ?? Math.ceil(JSON.stringify(body.input).length / CHARS_PER_TOKEN)
  const tokens = toTokens({ prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens })
  call.estimated = reply.tokens === undefined
  spend(call, costOf(tokens, target.entry?.price), tokens)
  const encode = body.encoding_format === 'base64' ? toBase64 : toNumbers
  const data: EmbeddingsReply['data'] = []
  for (const [index, one] of reply.data.entries()) {
    data.push({ index, ...one, embedding: encode(one.embedding) })
    if (index % VECTORS_AT_ONCE === 0) await slotForLarge(call, context)
  }
  return {
    ...reply.more,
    object: 'list',
    data,
    model: target.id,
    usage: { prompt_tokens, total_tokens: prompt_tokens, ...recordOf(reply.more?.usage) },
    cost: call.estimated ? null : call.cost,
    provider: target.provider.id,
  }
}

/** Not every provider supports both encodings, so the gateway converts to the one that the caller requested. */
function toBase64(embedding: string | number[]): string {
  if (typeof embedding === 'string') return embedding
  return Buffer.from(Float32Array.from(embedding).buffer).toString('base64')
}

function toNumbers(embedding: string | number[]): number[] {
  if (typeof embedding !== 'string') return embedding
  const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'))
  return [...new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))]
}
