import type { Call } from '../../calls/call.ts'
import { knownCost } from '../../calls/call.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import { GuardrailBlock } from '../../calls/guardrails/guardrail-block.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { usageOf } from '../../calls/upstream/chat-bill.ts'
import { wantsUsage } from '../../translation/dialects/request/other-spellings.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk, ChatCompletion } from '../../contract/chat-reply.ts'
import type { ChunkStream } from './relay.ts'

// A guardrail may want that the caller of a blocked chat gets an answer, as its user would read it, and not an error. The call has
// ended as a blocked one all the same.

const FILTERED = 'content_filter'

/** Throws the error, unless it is to be answered. */
export function blockedAnswer(
  error: unknown,
  { model }: ChatRequest,
  call: Call,
  services: CallServices,
): ChatCompletion {
  const message = { role: 'assistant' as const, content: replyOf(error), refusal: null }
  return {
    ...headOf(model, call, services),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: FILTERED }],
    usage: usageOf(call.spending, undefined),
  }
}

/** The same as a stream. */
export function blockedStream(error: unknown, request: ChatRequest, call: Call, services: CallServices): ChunkStream {
  const content = replyOf(error)
  const head = { ...headOf(request.model, call, services), object: 'chat.completion.chunk' as const }
  const piece = { index: 0, logprobs: null }
  const chunks: ChatChunk[] = [
    { ...head, choices: [{ ...piece, delta: { role: 'assistant', content }, finish_reason: null }] },
    { ...head, choices: [{ ...piece, delta: {}, finish_reason: FILTERED }] },
    ...(wantsUsage(request) ? [{ ...head, choices: [], usage: usageOf(call.spending, undefined) }] : []),
  ]
  return {
    next: async () => (chunks.length > 0 ? chunks.splice(0) : undefined),
    leave: () => {},
  }
}

/** A stream in whose place another one comes if it is blocked before its first chunk. */
export class UnlessBlocked implements ChunkStream {
  readonly #instead: (error: unknown) => ChunkStream
  #stream: ChunkStream
  #hasBegun = false

  constructor(stream: ChunkStream, instead: (error: unknown) => ChunkStream) {
    this.#stream = stream
    this.#instead = instead
  }

  async next(): Promise<ChatChunk[] | undefined> {
    if (this.#hasBegun) return await this.#stream.next()
    this.#hasBegun = true
    try {
      return await this.#stream.next()
    } catch (error) {
      this.#stream = this.#instead(error)
      return await this.#stream.next()
    }
  }

  leave(error?: unknown): void {
    this.#stream.leave(error)
  }
}

function replyOf(error: unknown): string {
  if (error instanceof GuardrailBlock && error.reply !== undefined) return error.reply
  throw error
}

function headOf(model: string, call: Call, services: CallServices) {
  return {
    id: `chatcmpl-${call.id}`,
    created: Math.floor(services.now() / 1000),
    model: call.record.model ?? model,
    cost: knownCost(call),
    provider: call.record.provider ?? 'gatehouse',
    ...(call.wantsMetadata && { gatehouse: metadataOf(call, services) }),
  }
}
