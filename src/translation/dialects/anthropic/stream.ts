import { isDeepStrictEqual } from 'node:util'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { AnswerChunk, AnswerDelta } from '../../wire/answer.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import { endedWithoutReason, type Ending, endingOf } from '../answer/finish-reason.ts'
import { partsOf, refuseUnreadable, secondAnswer, unreadable } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { onlyChoice } from '../chunk.ts'
import type { ChatDecoder, WithCompat } from '../chat-codec.ts'
import { ending, refusalOf } from './finish-reason.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import { OpenBlock, type StreamState } from './open-block.ts'
import { problemIn, problemOfEvent } from './problem.ts'
import { MAKER } from './provider-content.ts'
import { type Fields, isRecord, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { later, readTier, readUsage } from './usage.ts'

// https://platform.claude.com/docs/en/build-with-claude/streaming

export function decoder(_request?: ChatRequest, { compat }: WithCompat = {}): ChatDecoder {
  return new AnthropicDecoder(compat?.endsWithoutReason === 'always')
}

class AnthropicDecoder implements ChatDecoder {
  readonly #open = new Map<unknown, OpenBlock>()
  readonly #mayEndUnsaid: boolean
  readonly #state: StreamState = {
    textLength: 0,
    calls: 0,
    details: [],
    annotations: [],
    blocks: new ProviderBlocks(MAKER),
  }
  #container: unknown
  #message: Fields | undefined
  #usage: Fields = {}
  #begun = false
  #hasBlocks = false
  /** A block came after the reason. */
  #hasLate = false
  /** Another answer has begun. */
  #isOver = false
  ended = false
  done = false
  malformed = 0

  constructor(mayEndUnsaid: boolean) {
    this.#mayEndUnsaid = mayEndUnsaid
  }

  feed(event: WireEvent): AnswerChunk[] {
    if (this.done || this.#isOver) return []
    const value = tryParse(event.data)
    const error = problemIn(value) ?? problemOfEvent(event, value)
    if (error) throw error
    const type = isRecord(value) ? (value.type ?? event.event) : undefined
    if (isRecord(value) && typeof type === 'string') return this.#take(type, value)
    if (!isRecord(value)) refuseUnreadable(event.data)
    return this.#passOver()
  }

  /** Unknown events are ignored: new ones may be added at any time. */
  #take(type: string, value: Fields): AnswerChunk[] {
    if (type === 'message_start') return this.#begin(value.message)
    if (type === 'message_delta') return this.#change(value)
    if (type === 'message_stop') return this.#stop()
    // The whole answer in one event.
    if (type === 'message') return [...this.#begin(value), ...this.#stop()]
    if (type === 'content_block_start') return this.#openBlock(value)
    if (type === 'content_block_delta') return this.#addToBlock(value)
    return type === 'content_block_stop' ? this.#closeBlock(value.index) : []
  }

  /**
   * Nothing is passed on yet, because an error may still follow and another model take over. Some hosts send this event
   * twice; with another id, after the content has begun, it begins another answer. Some hosts send the whole content with one of them.
   */
  #begin(message: unknown): AnswerChunk[] {
    if (!isRecord(message)) return this.#passOver()
    // The answer is complete, so this is another one.
    if (this.ended) return this.#passOverRest()
    if (this.#hasBlocks && this.#message && isOther(message, this.#message)) throw secondAnswer()
    this.#usage = later(this.#usage, message.usage)
    this.#container ??= message.container
    const content = partsOf(message.content)
    if (this.#hasBlocks) return this.#repeat(content)
    this.#message = this.#message ? later(this.#message, message) : message
    // The last block may go on.
    return content.flatMap((content_block, index) => [
      ...this.#closeBlock(index - 1),
      ...this.#openBlock({ index, content_block }),
    ])
  }

  #passOverRest(): AnswerChunk[] {
    this.#isOver = true
    return []
  }

  /**
   * The content has begun before: the same content again is passed over. Other content is refused, because its place is
   * unknown.
   */
  #repeat(content: Fields[]): AnswerChunk[] {
    const isKnown = content.length === 0 || isDeepStrictEqual(content, listOf(this.#message?.content))
    if (!isKnown) throw secondAnswer()
    return []
  }

  #openBlock({ index, content_block }: Fields): AnswerChunk[] {
    if (!isRecord(content_block)) throw unreadable()
    const before = this.#closeBlock(index)
    const block = new OpenBlock(content_block, this.#state)
    this.#hasBlocks = true
    this.#hasLate = this.ended
    refuseEndless(this.#open)
    this.#open.set(index, block)
    return [...before, ...this.#chunks(block.open())]
  }

  #addToBlock({ index, delta }: Fields): AnswerChunk[] {
    if (!isRecord(delta)) throw unreadable()
    const block = this.#open.get(index) ?? this.#unannounced(index, delta)
    if (block) return this.#chunks(block.add(delta))
    // Arguments of a call that the provider has not begun.
    if (delta.type === 'input_json_delta') throw unreadable()
    return this.#passOver()
  }

  /** Some hosts do not announce the start of a text block. */
  #unannounced(index: unknown, { type }: Fields): OpenBlock | undefined {
    const kind = type === 'text_delta' ? 'text' : type === 'thinking_delta' ? 'thinking' : undefined
    if (kind === undefined) return undefined
    const block = new OpenBlock({ type: kind }, this.#state)
    this.#hasBlocks = true
    this.#hasLate = this.ended
    refuseEndless(this.#open)
    this.#open.set(index, block)
    return block
  }

  #closeBlock(index: unknown): AnswerChunk[] {
    const block = this.#open.get(index)
    this.#open.delete(index)
    return block ? this.#chunks(block.close()) : []
  }

  #change({ delta, usage }: Fields): AnswerChunk[] {
    this.#usage = later(this.#usage, usage)
    this.#container = recordOf(delta).container ?? this.#container
    const { stop_reason, stop_details } = recordOf(delta)
    if (endingOf(stop_reason).finish_reason) return this.#finish(stop_reason, stop_details)
    return this.ended ? [{ ...this.#head(), choices: [], ...this.#counted() }] : []
  }

  /** A host that sends the whole message at its start has also sent the reason there. */
  #stop(): AnswerChunk[] {
    if (!this.#message && !this.#begun) return []
    const { stop_reason, stop_details } = this.#message ?? {}
    const isSaid = this.ended || endingOf(stop_reason).finish_reason !== null
    if (!isSaid && !this.#mayEndUnsaid) throw endedWithoutReason('message_stop')
    const chunks = this.ended ? this.#closed({}) : this.#finish(isSaid ? stop_reason : UNSAID_REASON, stop_details)
    this.done = true
    return chunks
  }

  /** A second reason, after the first, ends what came in between. */
  #finish(stopReason: unknown, stopDetails: unknown): AnswerChunk[] {
    const end = ending(stopReason, this.#state.calls > 0)
    const refusal = refusalOf(stopReason, stopDetails)
    const chunks = this.#closed(refusal ? { refusal } : {})
    this.ended = true
    return [...chunks, { ...this.#chunk({}, end), ...this.#counted() }]
  }

  /** Lists are sent once and complete: clients differ in how they join pieces of them. More blocks after the end repeat them. */
  #closed(more: AnswerDelta): AnswerChunk[] {
    if (this.ended && !this.#hasLate && Object.keys(more).length === 0) return []
    const chunks = [...this.#open.keys()].flatMap((index) => this.#closeBlock(index))
    const { details, annotations, blocks } = this.#state
    const last: AnswerDelta = {
      ...(details.length > 0 && { reasoning_details: details }),
      ...(annotations.length > 0 && { annotations }),
      ...blocks.content(this.#container),
      ...more,
    }
    if (!this.#begun || Object.keys(last).length > 0) chunks.push(this.#chunk(last))
    this.#hasLate = false
    return chunks
  }

  #chunks(delta: AnswerDelta | undefined): AnswerChunk[] {
    return delta ? [this.#chunk(delta)] : []
  }

  #chunk(delta: AnswerDelta, end?: Ending): AnswerChunk {
    const isFirst = !this.#begun
    this.#begun = true
    const choices = onlyChoice(delta, isFirst, end)
    return { ...this.#head(), ...(isFirst && this.#tier()), choices }
  }

  #head() {
    const { id, model } = this.#message ?? {}
    return {
      id: textOf(id),
      object: 'chat.completion.chunk' as const,
      created: 0,
      model: textOf(model),
    }
  }

  #counted() {
    const usage = readUsage(this.#usage)
    return usage ? { usage, ...this.#tier() } : {}
  }

  #tier(): { service_tier?: string } {
    const service_tier = readTier(this.#usage)
    return service_tier ? { service_tier } : {}
  }

  #passOver(): AnswerChunk[] {
    this.malformed++
    return []
  }
}

/** Stands for a reason that was not sent: calls if the answer has some, and otherwise a proper end. */
const UNSAID_REASON = 'tool_use'

function isOther({ id }: Fields, { id: openId }: Fields): boolean {
  return textOf(id) !== '' && textOf(openId) !== '' && id !== openId
}
