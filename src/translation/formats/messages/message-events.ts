import { type AnswerChunk, type AnswerDelta, Internal, type NativeEvent } from '../../wire/answer.ts'
import type { Problem } from '../../../contract/problems.ts'
import { callPiece } from '../called.ts'
import { eventText, NOTHING } from '../event-text.ts'
import { BufferedDeltas } from '../kept-deltas.ts'
import { type Fields, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { BlockWriter } from './block-writer.ts'
import { errorBody } from './error-body.ts'
import { packContent } from '../../dialects/packed-content.ts'
import { citationsOf } from './citations.ts'
import { messageId, nativeMessage } from './from-completion.ts'
import { ServerBlocks } from './server-blocks.ts'
import type { Block } from './step-blocks.ts'
import { seal } from '../sealed-reasoning.ts'
import { stopReason } from './stop-reason.ts'
import { messageUsage } from './usage.ts'

/**
 * A streamed answer as events of this format. A provider's own events of this format are written unchanged; if a target
 * with another format continues, its text goes into the block that is still open.
 */
export class MessageEvents {
  readonly #requestId: string
  readonly #blocks = new BlockWriter((index) => `toolu_${this.#id}_${index}`)
  readonly #deltas = new BufferedDeltas()
  #id = ''
  #provider = ''
  #text = ''
  #hasBegun = false
  /** The provider's own events had content. */
  #hasOwnContent = false
  /** `message_delta`, held back until the usage and the cost are known. */
  #end: Fields | undefined
  /** The metadata, if it was sent again after the beginning. */
  #later: Pick<AnswerChunk, 'gatehouse'> = {}
  #reasoning: unknown[] = []
  readonly #serverBlocks = new ServerBlocks()

  constructor(requestId: string) {
    this.#requestId = requestId
  }

  chunks(chunks: readonly AnswerChunk[]): string {
    let text = ''
    for (const chunk of chunks) text += this.#chunk(chunk)
    return text || NOTHING
  }

  /** No event may precede the first event of the format. */
  silence(): string | undefined {
    return this.#hasBegun ? eventText({ type: 'ping' }) : undefined
  }

  end(): string {
    return this.#sendEnd({}) + eventText({ type: 'message_stop' })
  }

  failure({ status, message, code, details }: Problem): string {
    return eventText(errorBody(status, { message, code, param: details.param }, this.#requestId))
  }

  #chunk(chunk: AnswerChunk): string {
    this.#provider ||= chunk.provider ?? ''
    if (chunk.gatehouse && this.#hasBegun) this.#later = { gatehouse: chunk.gatehouse }
    const own = Internal.read(chunk.nativeEvents)
    if (own) return own.map((event) => this.#pass(event, chunk)).join('')
    if (chunk.choices.length === 0) return this.#sendEnd(this.#counted(chunk))
    let text = this.#begin(chunk)
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (index !== 0) continue
      text += this.#add(delta ?? {})
      if (finish_reason) text += this.#finish(finish_reason)
    }
    return text
  }

  #pass(event: NativeEvent, chunk: AnswerChunk): string {
    this.#blocks.follow(event)
    if (event.type === 'message_start') return this.#passStart(event, chunk)
    if (event.type === 'content_block_start') this.#hasOwnContent = true
    if (event.type === 'message_stop') return ''
    if (event.type !== 'message_delta') return eventText(event)
    const before = this.#end ?? {}
    this.#end = { ...before, ...event, usage: { ...recordOf(before.usage), ...recordOf(event.usage) } }
    return ''
  }

  /** A second beginning may be the one with the content. */
  #passStart(event: NativeEvent, chunk: AnswerChunk): string {
    const { id, model } = chunk
    const content = recordsIn(recordOf(event.message).content)
    const isNew = !this.#hasOwnContent
    this.#hasOwnContent ||= content.length > 0
    if (this.#hasBegun) return isNew ? content.map((block) => this.#blocks.whole(block)).join('') : ''
    this.#hasBegun = true
    const message = { ...nativeMessage(recordOf(event.message), { id }), model, ...metadataIn(chunk) }
    return eventText({ ...event, message })
  }

  #begin(chunk: AnswerChunk): string {
    const { id, model } = chunk
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    this.#id = messageId(id)
    const message = {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messageUsage(undefined),
      ...metadataIn(chunk),
    }
    return eventText({ type: 'message_start', message }) + eventText({ type: 'ping' })
  }

  #add(delta: AnswerDelta & { executed_tools?: unknown }): string {
    this.#deltas.add(delta)
    const { reasoning_content, content, refusal, tool_calls, annotations } = delta
    let text = reasoning_content ? this.#blocks.thought(reasoning_content) : ''
    text += this.#write(this.#serverBlocks.blocksIn(delta))
    for (const piece of [content, refusal]) {
      if (piece) text += this.#blocks.text(piece)
      this.#text += piece ?? ''
    }
    for (const fragment of tool_calls ?? []) text += this.#blocks.call(callPiece(fragment))
    if (annotations && this.#blocks.hasOpenText) text += this.#cite(annotations)
    const isOwn = delta.provider_content?.type === 'anthropic'
    for (const detail of packContent(isOwn ? { ...delta, provider_content: null } : delta)) this.#reasoning.push(detail)
    return text
  }

  #write(blocks: readonly Block[]): string {
    return blocks.map((block) => this.#blocks.whole(block)).join('')
  }

  #cite(annotations: unknown): string {
    const citations = citationsOf(annotations, this.#text)
    return citations.map((citation) => this.#blocks.delta({ type: 'citations_delta', citation })).join('')
  }

  /** The signature that has to come back with the next turn arrives only now, long after its reasoning block was closed. */
  #finish(reason: NonNullable<AnswerChunk['choices'][number]['finish_reason']>): string {
    const hasCalls = this.#blocks.hasCalls
    const finished = this.#write(this.#serverBlocks.end()) + this.#blocks.finish()
    const data = this.#reasoning.length > 0 ? seal(this.#reasoning, this.#provider) : ''
    this.#end = {
      type: 'message_delta',
      delta: { stop_reason: stopReason(reason, hasCalls), stop_sequence: null },
    }
    return finished + (data ? this.#blocks.whole({ type: 'redacted_thinking', data }) : '')
  }

  #counted({ usage, cost = null, provider }: AnswerChunk): Fields {
    // A provider of this format has reported usage in its own events. Fields that are missing there were reported at the
    // start.
    return { ...(this.#end?.usage ? {} : messageUsage(usage)), cost, provider }
  }

  /** Sent once: with the usage if it arrived, otherwise without it at the very end. */
  #sendEnd(usage: Fields): string {
    const end = this.#end
    if (!end) return ''
    this.#end = undefined
    const counts = { ...(end.usage ? recordOf(end.usage) : messageUsage(undefined)), ...usage }
    return this.#blocks.close() + eventText({ ...end, type: 'message_delta', usage: counts, ...this.#later })
  }
}

function metadataIn({ gatehouse, edenai_metadata }: AnswerChunk): Pick<AnswerChunk, 'gatehouse' | 'edenai_metadata'> {
  return { ...(gatehouse && { gatehouse }), ...(edenai_metadata && { edenai_metadata }) }
}
