import { type AnswerChunk, type AnswerDelta, Internal } from '../../wire/answer.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Ending } from '../answer/finish-reason.ts'
import { errorEvent } from '../answer/error-event.ts'
import { partOf, pieceOf, refuseUnreadable, secondAnswer, unreadable } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { onlyChoice, toChunk } from '../chunk.ts'
import { countOf, type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import type { ChatDecoder } from '../chat-codec.ts'
import { annotationsOf, isOfAnswer } from './citations.ts'
import { argumentsOf, ending, toUsage } from './finish-reason.ts'
import { toLogprobs } from './logprobs.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import { problemIn } from './problem.ts'
import { MAKER, noteBlock, noteCitation } from './provider-content.ts'

export function decoder(): ChatDecoder {
  return new CohereDecoder()
}

type OpenCall = { index: number; hasArguments: boolean; buffered: string }

class CohereDecoder implements ChatDecoder {
  readonly #calls = new Map<number, OpenCall>()
  /** The position in the answer at which the text of a block begins. */
  readonly #offsets = new Map<number, number>()
  #citations: Fields[] = []
  readonly #noted = new ProviderBlocks(MAKER)
  #id: string | undefined
  #chars = 0
  #begun = false
  done = false
  malformed = 0

  get ended() {
    return this.done
  }

  feed(wire: WireEvent): AnswerChunk[] {
    if (this.done) return []
    const event = tryParse(wire.data)
    const error = problemIn(event) ?? errorEvent(wire, event)
    if (error) throw error
    const read = isRecord(event) && typeof event.type === 'string' ? READERS[event.type] : undefined
    if (read) return this.#readable(read(this, event as Fields, partOf(partOf((event as Fields).delta).message)))
    // A valid object may be an event that is not known yet.
    if (isRecord(event)) return []
    refuseUnreadable(wire.data)
    this.malformed++
    return []
  }

  /** An event of a known kind that cannot be read may have had a part of the answer. */
  #readable(chunks: AnswerChunk[] | undefined): AnswerChunk[] {
    if (!chunks) throw unreadable()
    return chunks
  }

  messageStart({ id }: Fields): AnswerChunk[] {
    this.#id ??= textOf(id) || undefined
    if (this.#begun && textOf(id) !== '' && id !== this.#id) throw secondAnswer()
    return []
  }

  /** A block may begin with a first piece of its text. */
  content({ index, logprobs }: Fields, message: Fields): AnswerChunk[] {
    const block = partOf(message.content)
    const [text, thinking] = [pieceOf(block.text), pieceOf(block.thinking)]
    const at = countOf(index)
    refuseEndless(this.#offsets)
    if (!this.#offsets.has(at)) this.#offsets.set(at, this.#chars)
    if (thinking) return [this.#chunk({ reasoning_content: thinking })]
    const isText = text !== ''
    if (isText || block.type) noteBlock(this.#noted, isText ? { type: 'text', text } : block, this.#chars)
    if (!isText) return []
    this.#chars += text.length
    const chunk = this.#chunk({ content: text })
    if (isRecord(logprobs)) chunk.choices[0]!.logprobs = toLogprobs([logprobs])
    return [chunk]
  }

  plan({ tool_plan }: Fields): AnswerChunk[] {
    const plan = pieceOf(tool_plan)
    return plan ? [this.#chunk({ reasoning_content: plan, planStart: PLAN_ONLY })] : []
  }

  callStart({ index }: Fields, { tool_calls }: Fields): AnswerChunk[] | undefined {
    if (typeof index !== 'number' || !isRecord(tool_calls) || this.#calls.has(index)) return undefined
    refuseEndless(this.#calls)
    const { name, arguments: value } = recordOf(tool_calls.function)
    const call: OpenCall = { index: this.#calls.size, hasArguments: false, buffered: '' }
    this.#calls.set(index, call)
    const called = { name: textOf(name), arguments: readyArguments(call, textOf(value)) }
    return [
      this.#chunk({
        tool_calls: [{ index: call.index, id: textOf(tool_calls.id), type: 'function', function: called }],
      }),
    ]
  }

  callDelta({ index }: Fields, { tool_calls }: Fields): AnswerChunk[] | undefined {
    const call = this.#calls.get(index as number)
    const { arguments: value } = recordOf(recordOf(tool_calls).function)
    return call && typeof value === 'string' ? this.#arguments(call, value) : undefined
  }

  callEnd({ index }: Fields): AnswerChunk[] {
    const call = this.#calls.get(index as number)
    return call ? this.#close(call) : []
  }

  citation({ citations }: Fields): AnswerChunk[] {
    refuseEndless({ size: this.#citations.length })
    if (!isRecord(citations)) return []
    if (isOfAnswer(citations)) this.#citations.push(citations)
    else noteCitation(this.#noted, citations)
    return []
  }

  /** The sources come in one piece before the end, the usage after it. */
  messageEnd({ delta }: Fields): AnswerChunk[] | undefined {
    const { finish_reason, error, usage: counted } = recordOf(delta)
    const end = ending(finish_reason, error)
    if (end.finish_reason === null) return undefined
    const last = [...this.#calls.values()].flatMap((call) => this.#close(call))
    const annotations = this.#citations.flatMap((one) =>
      annotationsOf(one, this.#offsets.get(countOf(one.content_index)) ?? 0),
    )
    const listed: AnswerDelta = { ...(annotations.length > 0 && { annotations }), ...this.#noted.content() }
    if (Object.keys(listed).length > 0) last.push(this.#chunk(listed))
    last.push(this.#chunk({}, end))
    const usage = toUsage(counted)
    if (usage) last.push(toChunk([], { ...this.#named(), usage }))
    this.done = true
    return last
  }

  #arguments(call: OpenCall, piece: string): AnswerChunk[] {
    const ready = readyArguments(call, piece)
    return ready ? [this.#chunk({ tool_calls: [{ index: call.index, function: { arguments: ready } }] })] : []
  }

  /** A call without arguments may arrive without any, or with `null`. */
  #close(call: OpenCall): AnswerChunk[] {
    if (call.hasArguments) return []
    const { buffered } = call
    call.buffered = ''
    return this.#arguments(call, argumentsOf(buffered))
  }

  #chunk(delta: AnswerDelta, end?: Ending): AnswerChunk {
    const isFirst = !this.#begun
    this.#begun = true
    return toChunk(onlyChoice(delta, isFirst, end), this.#named())
  }

  #named(): Partial<AnswerChunk> {
    return this.#id ? { id: this.#id } : {}
  }
}

/** A piece of the plan is nothing but plan. */
const PLAN_ONLY = new Internal(0)

/** Holds back what may still become `null`, which may arrive in pieces. */
function readyArguments(call: OpenCall, piece: string): string {
  const text = call.buffered + piece
  if (!call.hasArguments && 'null'.startsWith(text)) {
    call.buffered = text
    return ''
  }
  call.hasArguments = true
  call.buffered = ''
  return text
}

type Reader = (decoder: CohereDecoder, event: Fields, message: Fields) => AnswerChunk[] | undefined

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
