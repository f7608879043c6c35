import { type AnswerChunk, type AnswerPiece, Internal } from '../../wire/answer.ts'
import type { Problem } from '../../../contract/problems.ts'
import { type Fields, recordsIn } from '../../../base/schema/record.ts'
import { errorBody } from './error-body.ts'
import { StreamedCandidate } from './streamed-candidate.ts'
import { usageMetadata } from './usage.ts'

/** How the replies of a stream are written one after the other. */
export type Framing = {
  reply(reply: object): string
  end(): string
  failure(error: object): string
}

/**
 * A streamed answer as replies of this format. Replies of Google are written unchanged. The last reply is held back until
 * the usage and the cost are known, because SDKs take a reply without parts for a broken answer.
 */
export class GeminiEvents {
  readonly #framing: Framing
  readonly #candidates = new Map<number, StreamedCandidate>()
  #lastReply: Fields | undefined
  #provider = ''
  /** The latest metadata that no reply has. A chunk may have nothing else for this format. */
  #metadata: Pick<AnswerChunk, 'gatehouse'> = NO_METADATA

  constructor(framing: Framing) {
    this.#framing = framing
  }

  chunks(chunks: readonly AnswerChunk[]): string {
    let text = ''
    for (const chunk of chunks) text += this.#chunk(chunk)
    return text
  }

  end(): string {
    return this.#release() + this.#framing.end()
  }

  failure({ status, message, code, details }: Problem): string {
    const { param, detail, retryAfterSeconds } = details
    const body = errorBody(status, { message, code, param, detail, retryAfterSeconds })
    return this.#release() + this.#framing.failure(body)
  }

  #chunk(chunk: AnswerChunk): string {
    this.#provider ||= chunk.provider ?? ''
    if (chunk.gatehouse) this.#metadata = { gatehouse: chunk.gatehouse }
    const own = Internal.read(chunk.nativeReplies)
    if (own) return own.map((reply) => this.#next(reply)).join('')
    if (chunk.choices.length === 0) return this.#count(chunk)
    const candidates = chunk.choices.flatMap((choice) => this.#candidate(choice))
    if (candidates.length === 0) return ''
    return this.#next({ candidates, modelVersion: chunk.model, responseId: chunk.id })
  }

  #candidate({ index, delta, finish_reason, logprobs }: AnswerPiece): Fields[] {
    const candidate = this.#candidates.get(index) ?? new StreamedCandidate(index)
    this.#candidates.set(index, candidate)
    candidate.add(delta ?? {}, logprobs)
    return finish_reason ? [candidate.end(finish_reason, this.#provider)] : candidate.next()
  }

  /** Google has counted in its own replies. */
  #count({ usage, cost = null, provider }: AnswerChunk): string {
    const reply = this.#lastReply
    if (!reply) return ''
    const counted = reply.usageMetadata ? {} : { usageMetadata: usageMetadata(usage) }
    this.#lastReply = { ...reply, ...counted, cost, provider, ...this.#takeMetadata() }
    return ''
  }

  /** Holds back every reply that ends an answer. */
  #next(written: Fields): string {
    const before = this.#release()
    const reply = { ...written, ...this.#takeMetadata() }
    if (!recordsIn(reply.candidates).some(({ finishReason }) => finishReason) && !reply.promptFeedback)
      return before + this.#framing.reply(reply)
    this.#lastReply = reply
    return before
  }

  #takeMetadata(): Fields {
    const metadata = this.#metadata
    this.#metadata = NO_METADATA
    return metadata
  }

  #release(): string {
    const reply = this.#lastReply
    this.#lastReply = undefined
    return reply ? this.#framing.reply(reply) : ''
  }
}

const NO_METADATA = {}
