import type { ChatChunk, Delta, FinishReason } from '../../contract/chat-reply.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import { refuseEndless } from '../answer-problems.ts'
import { onlyChoice } from '../chunk.ts'
import type { ChatDecoder } from '../chat-codec.ts'
import { finishReason, refusalOf } from './finish.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import { OpenBlock, type Said } from './open-block.ts'
import { problem, problemIn } from './problem.ts'
import { MAKER } from './provider-content.ts'
import { type Fields, isRecord, textOf } from '../../schema/record.ts'
import { laterUsage, readTier, readUsage } from './usage.ts'

// https://platform.claude.com/docs/en/build-with-claude/streaming

export function decoder(): ChatDecoder {
  return new AnthropicDecoder()
}

class AnthropicDecoder implements ChatDecoder {
  readonly #open = new Map<unknown, OpenBlock>()
  readonly #said: Said = { textLength: 0, calls: 0, details: [], annotations: [], blocks: new ProviderBlocks(MAKER) }
  #container: unknown
  #message: Fields | undefined
  #usage: Fields = {}
  #begun = false
  ended = false
  done = false
  malformed = 0

  feed({ event, data }: WireEvent): ChatChunk[] {
    if (this.done) return []
    const value = tryParse(data)
    const error = problemIn(value) ?? (event === 'error' ? problem(500, data) : undefined)
    if (error) throw error
    const type = isRecord(value) ? (value.type ?? event) : undefined
    if (!isRecord(value) || typeof type !== 'string') return this.#unreadable()
    return this.#take(type, value)
  }

  /** Unknown events are ignored: new ones may be added at any time. */
  #take(type: string, value: Fields): ChatChunk[] {
    if (type === 'message_start') return this.#begin(value.message)
    if (type === 'message_delta') return this.#change(value)
    if (type === 'message_stop') return this.#stop()
    if (this.ended) return []
    if (type === 'content_block_start') return this.#openBlock(value)
    if (type === 'content_block_delta') return this.#addToBlock(value)
    return type === 'content_block_stop' ? this.#closeBlock(value.index) : []
  }

  /**
   * Nothing is passed on yet, because an error may still follow and another model take over. Some hosts send this event
   * twice.
   */
  #begin(message: unknown): ChatChunk[] {
    if (!isRecord(message)) return this.#unreadable()
    this.#message ??= message
    this.#usage = laterUsage(this.#usage, message.usage)
    this.#container ??= message.container
    return []
  }

  #openBlock({ index, content_block }: Fields): ChatChunk[] {
    if (!isRecord(content_block)) return this.#unreadable()
    const before = this.#closeBlock(index)
    const block = new OpenBlock(content_block, this.#said)
    refuseEndless(this.#open)
    this.#open.set(index, block)
    return [...before, ...this.#chunks(block.open())]
  }

  #addToBlock({ index, delta }: Fields): ChatChunk[] {
    if (!isRecord(delta)) return this.#unreadable()
    const block = this.#open.get(index) ?? this.#unannounced(index, delta)
    return block ? this.#chunks(block.add(delta)) : this.#unreadable()
  }

  /** Some hosts do not announce the start of a text block. */
  #unannounced(index: unknown, { type }: Fields): OpenBlock | undefined {
    const kind = type === 'text_delta' ? 'text' : type === 'thinking_delta' ? 'thinking' : undefined
    if (kind === undefined) return undefined
    const block = new OpenBlock({ type: kind }, this.#said)
    refuseEndless(this.#open)
    this.#open.set(index, block)
    return block
  }

  #closeBlock(index: unknown): ChatChunk[] {
    const block = this.#open.get(index)
    this.#open.delete(index)
    return block ? this.#chunks(block.close()) : []
  }

  #change({ delta, usage }: Fields): ChatChunk[] {
    this.#usage = laterUsage(this.#usage, usage)
    if (this.ended) return [{ ...this.#head(), choices: [], ...this.#counted() }]
    if (!isRecord(delta)) return []
    this.#container = delta.container ?? this.#container
    if (delta.stop_reason == null) return []
    return this.#finish(delta.stop_reason, delta.stop_details)
  }

  #stop(): ChatChunk[] {
    if (!this.#message && !this.#begun) return this.#unreadable()
    const chunks = this.ended ? [] : this.#finish(null, null)
    this.done = true
    return chunks
  }

  /** Lists are sent once and complete: clients differ in how they join pieces of them. */
  #finish(stopReason: unknown, stopDetails: unknown): ChatChunk[] {
    const chunks = [...this.#open.keys()].flatMap((index) => this.#closeBlock(index))
    const { details, annotations, calls, blocks } = this.#said
    const refusal = refusalOf(stopReason, stopDetails)
    const last: Delta = {
      ...(details.length > 0 && { reasoning_details: details }),
      ...(annotations.length > 0 && { annotations }),
      ...blocks.content(this.#container),
      ...(refusal && { refusal }),
    }
    if (!this.#begun || Object.keys(last).length > 0) chunks.push(this.#chunk(last))
    this.ended = true
    return [...chunks, { ...this.#chunk({}, finishReason(stopReason, calls > 0)), ...this.#counted() }]
  }

  #chunks(delta: Delta | undefined): ChatChunk[] {
    return delta ? [this.#chunk(delta)] : []
  }

  #chunk(delta: Delta, finish_reason: FinishReason | null = null): ChatChunk {
    const isFirst = !this.#begun
    this.#begun = true
    const choices = onlyChoice(delta, isFirst, finish_reason)
    const service_tier = isFirst ? readTier(this.#usage) : undefined
    return { ...this.#head(), ...(service_tier && { service_tier }), choices }
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
    return usage ? { usage } : {}
  }

  #unreadable(): ChatChunk[] {
    this.malformed++
    return []
  }
}
