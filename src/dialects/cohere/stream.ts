import type { ChatChunk, Delta } from '../../contract/chat-reply.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Ending } from '../answer/ending.ts'
import { errorEvent } from '../answer/error-event.ts'
import { refuseUnreadable, secondAnswer, unreadable } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { onlyChoice, toChunk } from '../chunk.ts'
import { countOf, type Fields, isRecord, recordOf, textOf } from '../../schema/record.ts'
import type { ChatDecoder } from '../chat-codec.ts'
import { annotationOf, isOfAnswer } from './citations.ts'
import { ending, toUsage } from './ending.ts'
import { toLogprobs } from './logprobs.ts'
import { problemIn } from './problem.ts'

export function decoder(): ChatDecoder {
  return new CohereDecoder()
}

type OpenCall = { index: number; hasArguments: boolean }

class CohereDecoder implements ChatDecoder {
  readonly #calls = new Map<number, OpenCall>()
  /** The position in the answer at which the text of a block begins. */
  readonly #offsets = new Map<number, number>()
  #citations: Fields[] = []
  #id: string | undefined
  #chars = 0
  #begun = false
  done = false
  malformed = 0

  get ended() {
    return this.done
  }

  feed(wire: WireEvent): ChatChunk[] {
    if (this.done) return []
    const event = tryParse(wire.data)
    const error = problemIn(event) ?? errorEvent(wire, event)
    if (error) throw error
    const read = isRecord(event) && typeof event.type === 'string' ? READERS[event.type] : undefined
    if (read) return this.#known(read(this, event as Fields, recordOf(recordOf((event as Fields).delta).message)))
    // A valid object may be an event that is not known yet.
    if (isRecord(event)) return []
    refuseUnreadable(wire.data)
    this.malformed++
    return []
  }

  /** An event of a known kind that cannot be read may have had a part of the answer. */
  #known(chunks: ChatChunk[] | undefined): ChatChunk[] {
    if (!chunks) throw unreadable()
    return chunks
  }

  messageStart({ id }: Fields): ChatChunk[] {
    this.#id ??= textOf(id) || undefined
    if (textOf(id) !== '' && id !== this.#id) throw secondAnswer()
    return []
  }

  /** A block may begin with a first piece of its text. */
  content({ index, logprobs }: Fields, message: Fields): ChatChunk[] {
    const { text, thinking } = recordOf(message.content)
    const at = countOf(index)
    refuseEndless(this.#offsets)
    if (!this.#offsets.has(at)) this.#offsets.set(at, this.#chars)
    if (textOf(thinking)) return [this.#chunk({ reasoning_content: textOf(thinking) })]
    if (!textOf(text)) return []
    this.#chars += textOf(text).length
    const chunk = this.#chunk({ content: textOf(text) })
    if (isRecord(logprobs)) chunk.choices[0]!.logprobs = toLogprobs([logprobs])
    return [chunk]
  }

  plan({ tool_plan }: Fields): ChatChunk[] {
    return textOf(tool_plan) ? [this.#chunk({ reasoning_content: textOf(tool_plan) })] : []
  }

  callStart({ index }: Fields, { tool_calls }: Fields): ChatChunk[] | undefined {
    if (typeof index !== 'number' || !isRecord(tool_calls) || this.#calls.has(index)) return undefined
    refuseEndless(this.#calls)
    const { name, arguments: value } = recordOf(tool_calls.function)
    const call = { index: this.#calls.size, hasArguments: textOf(value) !== '' }
    this.#calls.set(index, call)
    const called = { name: textOf(name), arguments: textOf(value) }
    return [
      this.#chunk({
        tool_calls: [{ index: call.index, id: textOf(tool_calls.id), type: 'function', function: called }],
      }),
    ]
  }

  callDelta({ index }: Fields, { tool_calls }: Fields): ChatChunk[] | undefined {
    const call = this.#calls.get(index as number)
    const { arguments: value } = recordOf(recordOf(tool_calls).function)
    return call && typeof value === 'string' ? this.#arguments(call, value) : undefined
  }

  /** A call without arguments may arrive without any. */
  callEnd({ index }: Fields): ChatChunk[] {
    const call = this.#calls.get(index as number)
    return !call || call.hasArguments ? [] : this.#arguments(call, '{}')
  }

  citation({ citations }: Fields): ChatChunk[] {
    refuseEndless({ size: this.#citations.length })
    if (isRecord(citations) && isOfAnswer(citations)) this.#citations.push(citations)
    return []
  }

  /** The sources come in one piece before the end, the usage after it. */
  messageEnd({ delta }: Fields): ChatChunk[] | undefined {
    const { finish_reason, error, usage } = recordOf(delta)
    if (typeof finish_reason !== 'string' && error == null) return undefined
    const end = ending(textOf(finish_reason), error)
    const last = [...this.#calls.values()].flatMap((call) => (call.hasArguments ? [] : this.#arguments(call, '{}')))
    const annotations = this.#citations.map((one) =>
      annotationOf(one, this.#offsets.get(countOf(one.content_index)) ?? 0),
    )
    if (annotations.length > 0) last.push(this.#chunk({ annotations }))
    last.push(this.#chunk({}, end))
    if (isRecord(usage)) last.push(toChunk([], { ...this.#named(), usage: toUsage(usage) }))
    this.done = true
    return last
  }

  #arguments(call: OpenCall, value: string): ChatChunk[] {
    if (value === '') return []
    call.hasArguments = true
    return [this.#chunk({ tool_calls: [{ index: call.index, function: { arguments: value } }] })]
  }

  #chunk(delta: Delta, end?: Ending): ChatChunk {
    const isFirst = !this.#begun
    this.#begun = true
    return toChunk(onlyChoice(delta, isFirst, end), this.#named())
  }

  #named(): Partial<ChatChunk> {
    return this.#id ? { id: this.#id } : {}
  }
}

type Reader = (decoder: CohereDecoder, event: Fields, message: Fields) => ChatChunk[] | undefined

/** Undefined if the event is known but malformed. */
const READERS: Partial<Record<string, Reader>> = Object.assign(Object.create(null), {
  'message-start': (decoder, event) => decoder.messageStart(event),
  'content-start': (decoder, event, message) => decoder.content(event, message),
  'content-delta': (decoder, event, message) => decoder.content(event, message),
  'tool-plan-delta': (decoder, _, message) => decoder.plan(message),
  'tool-call-start': (decoder, event, message) => decoder.callStart(event, message),
  'tool-call-delta': (decoder, event, message) => decoder.callDelta(event, message),
  'tool-call-end': (decoder, event) => decoder.callEnd(event),
  'citation-start': (decoder, _, message) => decoder.citation(message),
  'message-end': (decoder, event) => decoder.messageEnd(event),
} satisfies Record<string, Reader>)
