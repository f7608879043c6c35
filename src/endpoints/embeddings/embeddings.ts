import { type EmbeddingsReply, EmbeddingsRequest } from '../../contract/embeddings.ts'
import type { EmbeddedText, EmbeddingReply } from '../../translation/dialects/embedding-codec.ts'
import { type Fields, recordOf } from '../../base/schema/record.ts'
import { inOneOrder } from '../../calls/attempts/attempt.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import { guardedBody } from '../../calls/guardrails/guarded-body.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import { completed } from '../../calls/routing/alias-defaults.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import {
  askForVectors,
  billOfVectors,
  canEmbed,
  notesOfVectors,
  tokensOf,
  toNumbers,
  vectorsWorstCase,
} from './ask-for-vectors.ts'
import { simulatedEmbeddings } from './embeddings-simulated.ts'
import { type Endpoint, planOf, type TargetReply } from '../../calls/upstream/endpoint-plan.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { bytesIn, bytesOfUnknown } from '../../calls/upstream/bounds/token-worst-case.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { Served } from '../../calls/routing/targets-of-kind.ts'

/** Vectors of a long answer that are converted before other requests get a turn. */
const VECTORS_AT_ONCE = 16

export const EMBEDDINGS: Served = { kinds: ['embedding'], endpoint: 'embeddings' }

/** Fields that depend on the target, because another format says the same to every provider. */
type FieldsFor = (target: ChatTarget) => Fields

export function embed(
  body: EmbeddingsRequest,
  call: Call,
  services: CallServices,
  fieldsFor: FieldsFor = () => ({}),
): Promise<EmbeddingsReply> {
  const plan = async () => {
    const guarded = await guardedBody(body, call, services, hasTokens(body) ? 'input' : undefined)
    return planOf(embeddings(guarded, fieldsFor, call, services), call, services)
  }
  return runCall(plan, call, services)
}

function hasTokens({ input }: EmbeddingsRequest): boolean {
  return Array.isArray(input) && input.some((one) => typeof one !== 'string')
}

function embeddings(
  body: EmbeddingsRequest,
  fieldsFor: FieldsFor,
  call: Call,
  services: Pick<CallServices, 'loopSlot'>,
): Endpoint<EmbeddingReply, EmbeddingsReply> {
  return {
    ...EMBEDDINGS,
    model: body.model,
    fallbacks: body.fallbacks,
    isCustomized: () => isCustomized(body, EmbeddingsRequest),
    speaks: ({ provider }) => canEmbed(provider),
    worstCase: (target) =>
      vectorsWorstCase(bytesIn(body.input) + bytesOfUnknown(body, EmbeddingsRequest), body.input, target),
    ask: (attempt) => {
      const { target } = attempt
      if (target.provider.simulated) return simulate(body, attempt)
      return askForVectors(completed({ ...body, ...fieldsFor(target) }, target), attempt)
    },
    notesFor: (target) => notesOfVectors(body, target),
    present: (answered) => present(answered, body, call, services),
  }
}

function simulate(body: EmbeddingsRequest, attempt: ChatAttempt): Promise<EmbeddingReply> {
  return inOneOrder<EmbeddingReply>(attempt, {
    likelyBill: () => undefined,
    ask: async () => simulatedEmbeddings(body),
    billOf: (reply) => billOfVectors(body.input, reply, attempt.target),
  })
}

async function present(
  { target, reply }: TargetReply<EmbeddingReply>,
  body: EmbeddingsRequest,
  call: Call,
  services: Pick<CallServices, 'loopSlot'>,
): Promise<EmbeddingsReply> {
  await slotForLarge(call, services)
  const prompt_tokens = tokensOf(body.input, reply)
  const encode = body.encoding_format === 'base64' ? toBase64 : toNumbers
  const data: EmbeddingsReply['data'] = []
  for (const [index, one] of reply.data.entries()) {
    data.push({ index, ...one, ...encoded(one, encode) })
    if (index % VECTORS_AT_ONCE === 0) await slotForLarge(call, services)
  }
  return {
    id: `embd-${call.id}`,
    ...reply.more,
    object: 'list',
    data,
    model: target.id,
    usage: { prompt_tokens, total_tokens: prompt_tokens, ...recordOf(reply.more?.usage) },
    cost: knownCost(call),
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
