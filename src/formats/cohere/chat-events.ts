import type { ChatChunk, ChunkChoice, FinishReason, ToolCallFragment } from '../../contract/chat-reply.ts'
import type { Fields } from '../../schema/record.ts'
import { eventText, NOTHING } from '../event-text.ts'
import { finishReason, usageOf } from './from-completion.ts'

type Block = { type: 'text' | 'thinking'; index: number }
type Event = Fields & { type: string }

/** Writes the chunks of a chat as Cohere's events. */
export class ChatEvents {
  #isBegun = false
  #blocks = 0
  #block: Block | undefined
  #call: number | undefined
  #reason: FinishReason | null | undefined
  #last: Fields = {}

  chunks(chunks: readonly ChatChunk[]): string {
    const events = chunks.flatMap((chunk) => this.#events(chunk))
    return events.length > 0 ? events.map(eventText).join('') : NOTHING
  }

  /** The usage comes after the finish reason, so the last event waits for both. */
  end(): string {
    const delta = { finish_reason: finishReason(this.#reason), ...this.#last }
    return [...this.#close(), { type: 'message-end', delta }].map(eventText).join('')
  }

  #events(chunk: ChatChunk): Event[] {
    const events: Event[] = []
    if (!this.#isBegun && chunk.choices.length > 0) {
      this.#isBegun = true
      const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
      events.push({ type: 'message-start', id: chunk.id, delta: { message } })
    }
    if (chunk.usage) {
      const { model, cost = null, provider } = chunk
      this.#last = { usage: usageOf(chunk.usage), model, cost, provider }
    }
    return [...events, ...chunk.choices.filter(({ index }) => index === 0).flatMap((choice) => this.#choice(choice))]
  }

  #choice({ delta, finish_reason }: ChunkChoice): Event[] {
    this.#reason ??= finish_reason
    const text = delta.content || delta.refusal
    return [
      ...(delta.reasoning_content ? this.#piece('thinking', delta.reasoning_content) : []),
      ...(text ? this.#piece('text', text) : []),
      ...(delta.tool_calls ?? []).flatMap((call) => this.#called(call)),
    ]
  }

  #piece(type: Block['type'], piece: string): Event[] {
    const events: Event[] = []
    if (this.#block?.type !== type) {
      events.push(...this.#close())
      this.#block = { type, index: this.#blocks++ }
      events.push({ type: 'content-start', index: this.#block.index, ...saying({ type, [type]: '' }) })
    }
    return [...events, { type: 'content-delta', index: this.#block!.index, ...saying({ [type]: piece }) }]
  }

  #called({ index, id, function: called }: ToolCallFragment): Event[] {
    const value = called?.arguments ?? ''
    const isNew = this.#call !== index
    const events = isNew ? this.#close() : []
    this.#call = index
    if (isNew) {
      const call = { id, type: 'function', function: { name: called?.name ?? '', arguments: '' } }
      events.push({ type: 'tool-call-start', index, delta: { message: { tool_calls: call } } })
    }
    if (value === '') return events
    const delta = { message: { tool_calls: { function: { arguments: value } } } }
    return [...events, { type: 'tool-call-delta', index, delta }]
  }

  /** Ends what is open: a block of content or a call. */
  #close(): Event[] {
    const events: Event[] = []
    if (this.#block) events.push({ type: 'content-end', index: this.#block.index })
    if (this.#call !== undefined) events.push({ type: 'tool-call-end', index: this.#call })
    this.#block = undefined
    this.#call = undefined
    return events
  }
}

function saying(content: Fields): Fields {
  return { delta: { message: { content } } }
}
