import { type EmbeddingsReply, EmbeddingsRequest } from '../contract/embeddings.ts'
import type { EmbeddedText, EmbeddingReply } from '../dialects/embedding-codec.ts'
import { type Fields, recordOf } from '../schema/record.ts'
import { type Call, failCall } from '../calls/call.ts'
import { closeCall } from '../calls/close-call.ts'
import { completed } from '../routing/alias-defaults.ts'
import { isCustomized } from '../upstream/customized.ts'
import {
  askForVectors,
  canEmbed,
  costOfVectors,
  likelyBillOfVectors,
  vectorsWorstCase,
  type SentTexts,
  toNumbers,
} from './ask-for-vectors.ts'
import { simulatedEmbeddings } from './embeddings-simulated.ts'
import { type TargetReply, forward, type ForwardedRequest } from '../upstream/forward.ts'
import type { ChatTarget } from '../routing/route.ts'
import { bytesIn, bytesOfUnknown } from '../upstream/bounds/token-worst-case.ts'
import { slotForLarge } from '../calls/large-work.ts'
import type { AppContext } from '../app/context.ts'
import type { Served } from '../routing/targets-of-kind.ts'
import { spend } from '../calls/spend.ts'

/** Vectors of a long answer that are converted before other requests get a turn. */
const VECTORS_AT_ONCE = 16

export const EMBEDDINGS: Served = { kinds: ['embedding'], endpoint: 'embeddings' }

/** Fields that depend on the target, because another format says the same to every provider. */
type FieldsFor = (target: ChatTarget) => Fields

export async function embed(
  body: EmbeddingsRequest,
  call: Call,
  context: AppContext,
  fieldsFor: FieldsFor = () => ({}),
): Promise<EmbeddingsReply> {
  try {
    call.isCustomized = () => isCustomized(body, EmbeddingsRequest)
    call.worstCase = (target: ChatTarget) =>
      vectorsWorstCase(bytesIn(body.input) + bytesOfUnknown(body, EmbeddingsRequest), body.input, target)
    let sent: SentTexts = []
    call.likelyBill = (target: ChatTarget) => likelyBillOfVectors(sent, target)
    const begin = () => (sent = [])
    const answered = await forward(forwardedRequestOf(body, fieldsFor, begin), call, context)
    await slotForLarge(call, context)
    return await present(answered, body, call, context)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, context)
  }
}

/** `begin` is told about every attempt, and returns where its texts are noted. */
function forwardedRequestOf(
  body: EmbeddingsRequest,
  fieldsFor: FieldsFor,
  begin: () => SentTexts,
): ForwardedRequest<EmbeddingReply> {
  return {
    model: body.model,
    fallbacks: body.fallbacks,
    ...EMBEDDINGS,
    speaks: ({ provider }) => canEmbed(provider),
    ask: (target, exchange) =>
      askForVectors(completed({ ...body, ...fieldsFor(target) }, target), target, exchange, begin()),
    simulate: () => simulatedEmbeddings(body),
  }
}

async function present(
  { target, reply }: TargetReply<EmbeddingReply>,
  body: EmbeddingsRequest,
  call: Call,
  context: AppContext,
): Promise<EmbeddingsReply> {
  const { promptTokens: prompt_tokens, tokens, cost, estimated } = costOfVectors(body, reply, target)
  call.estimated = estimated
  spend(call, cost, tokens)
  const encode = body.encoding_format === 'base64' ? toBase64 : toNumbers
  const data: EmbeddingsReply['data'] = []
  for (const [index, one] of reply.data.entries()) {
    data.push({ index, ...one, ...encoded(one, encode) })
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

/** Several vectors of one text have another name than the contract says, and are passed on as they are. */
function encoded({ embedding }: EmbeddedText, encode: (vector: string | number[]) => string | number[]) {
  return (embedding === undefined ? {} : { embedding: encode(embedding) }) as { embedding: string | number[] }
}

/** Not every provider supports both encodings, so the gateway converts to the one that the caller requested. */
function toBase64(embedding: string | number[]): string {
  if (typeof embedding === 'string') return embedding
  return Buffer.from(Float32Array.from(embedding).buffer).toString('base64')
}
