import type { ChatRequest } from '../../../contract/chat.ts'
import type { AnswerChunk } from '../../wire/answer.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import { endedWithoutReason, type Ending, endingOf } from '../answer/finish-reason.ts'
import { saysSomething } from '../answer/says-something.ts'
import { refuseUnreadable, unreadable } from '../answer/unreadable-event.ts'
import { ChoiceNumbers } from '../answer/choice-numbers.ts'
import { refuseTooManyChoices } from '../answer-problems.ts'
import type { ChatDecoder, WithCompat } from '../chat-codec.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { CallNumbers } from './call-numbers.ts'
import type { Compat, ReasoningTag } from './compat.ts'
import { StreamedSources } from './listed-sources.ts'
import { deltaIn, indexIn, settleHead, settleLogprobs } from './mistyped.ts'
import { PartStreams } from './part-blocks.ts'
import { problemIn, problemOfEvent } from './problem.ts'
import { normalizeMessage } from './normalize-message.ts'
import { settleTagged, ReasoningTags } from './reasoning-tags.ts'
import { costIn, settleUsage } from './usage.ts'

export function decoder(request: ChatRequest, { compat }: WithCompat = {}): ChatDecoder {
  return new OpenAiDecoder(request.n ?? 1, compat)
}

class OpenAiDecoder implements ChatDecoder {
  readonly #requestedChoices: number
  readonly #numbers: ChoiceNumbers
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()
  /** The choices that have sent more than a role. */
  readonly #started = new Set<number>()
  /** The call numbers of the choices that call tools. */
  readonly #calls = new Map<number, CallNumbers>()
  readonly #tag: ReasoningTag | undefined
  readonly #endsWithoutReason: Compat['endsWithoutReason']
  /** The reasoning tags of the choices, if the model may use them. */
  readonly #tags = new Map<number, ReasoningTags>()
  readonly #parts: PartStreams
  readonly #sources = new StreamedSources()
  #gatewayCost: unknown
  #head: AnswerChunk | undefined
  done = false
  malformed = 0

  constructor(requestedChoices: number, compat: Compat | undefined) {
    this.#requestedChoices = requestedChoices
    this.#numbers = new ChoiceNumbers(requestedChoices)
    this.#tag = compat?.reasoningTag
    this.#parts = new PartStreams(compat)
    this.#endsWithoutReason = compat?.endsWithoutReason
  }

  /** A stream with all its finish reasons needs no `[DONE]`. */
  get ended() {
    return this.done || (this.#finished.size >= this.#requestedChoices && this.#finished.size >= this.#begun.size)
  }

  feed(event: WireEvent): AnswerChunk[] {
    if (this.done) return []
    if (event.data === '[DONE]' && event.event === undefined) return this.#end()
    const value = tryParse(event.data)
    const error = problemIn(value)
    if (error) throw error
    const isPlain = event.event === undefined && isChunk(value) && !isEmpty(value)
    return isPlain ? this.#take(value) : this.#takeOther(event, value)
  }

  #take(chunk: AnswerChunk): AnswerChunk[] {
    refuseTooManyChoices(chunk.choices.length)
    // watsonx omits the object type.
    chunk.object ??= 'chat.completion.chunk'
    settleHead(chunk)
    this.#head ??= chunk
    const finished = this.#finished.size
    chunk.choices = chunk.choices.filter((choice, at) => this.#follow(choice, at))
    this.#sources.take(chunk)
    // Usage comes in its own field, or with a finish reason: there is no need to look elsewhere.
    if (chunk.usage || this.#finished.size > finished) settleUsage(chunk, this.#gatewayCost)
    return [chunk]
  }

  /** An event with a name, or without choices: an error, an event that does not belong to the format, or garbage. */
  #takeOther(event: WireEvent, value: unknown): AnswerChunk[] {
    const error = problemOfEvent(event, value)
    if (error) throw error
    // Azure's filter result for the prompt: it contains no content and no role.
    if (isChunk(value) && isEmpty(value)) return []
    if (event.data.trim() === '[DONE]') return this.#end()
    if (!isRecord(value)) refuseUnreadable(event.data)
    const chunk = isRecord(value) ? { ...value, choices: choicesIn(value) } : undefined
    if (isChunk(chunk) && (chunk.choices.length > 0 || isRecord(chunk.usage))) return this.#take(chunk)
    this.malformed++
    return []
  }

  /**
   * Enforces the grammar: the role once, at the beginning. Returns false if the choice is not to be passed on: it came after
   * the finish reason and says nothing.
   */
  #follow(choice: AnswerChunk['choices'][number], at: number): boolean {
    const error = problemIn(choice)
    if (error) throw error
    choice.index = this.#numbers.of(indexIn(choice, at))
    const delta = deltaIn(choice)
    settleLogprobs(choice)
    const isFirst = !this.#begun.has(choice.index)
    // All choices that were asked for are complete, so this one is of another answer.
    if (isFirst && this.ended) return false
    if (isFirst) this.#begin(choice.index)
    if (!isFirst && delta.role !== undefined) delete delta.role
    this.#parts.take(choice.index, delta, Boolean(choice.finish_reason))
    normalizeMessage(delta)
    const ending = endingOf(choice.finish_reason)
    const isEnd = ending.finish_reason !== null
    if (this.#tag) settleTagged(delta, this.#tagsOf(choice.index, this.#tag), isEnd)
    if ('provider_metadata' in delta) this.#gatewayCost = costIn([choice])
    if (delta.tool_calls != null) this.#number(choice.index, delta)
    if (delta.content || delta.reasoning_content || delta.refusal || delta.audio) this.#started.add(choice.index)
    choice.delta = isFirst ? { ...delta, role: 'assistant' } : delta
    const isLate = this.#finished.has(choice.index)
    if (isEnd) this.#finish(choice, ending)
    else choice.finish_reason = null
    return isEnd || !isLate || saysSomething(choice.delta)
  }

  #finish(choice: AnswerChunk['choices'][number], ending: Ending): void {
    this.#finished.add(choice.index)
    Object.assign(choice, ending)
  }

  #begin(index: number): void {
    this.#begun.add(index)
    refuseTooManyChoices(this.#begun.size)
  }

  #tagsOf(index: number, tag: ReasoningTag): ReasoningTags {
    const existing = this.#tags.get(index)
    if (existing) return existing
    const tags = new ReasoningTags(tag)
    this.#tags.set(index, tags)
    return tags
  }

  /** A partial tag without an end is plain text. */
  #heldBack(): AnswerChunk[] {
    const choices = [...this.#tags]
      .filter(([index]) => !this.#finished.has(index))
      .map(([index, tags]) => {
        const delta: Fields = {}
        settleTagged(delta, tags, true)
        return { index, delta, finish_reason: null }
      })
    const reported = choices.filter(({ delta }) => Object.keys(delta).length > 0)
    return reported.length > 0 ? this.#more(reported) : []
  }

  #number(index: number, delta: AnswerChunk['choices'][number]['delta']): void {
    const numbers = this.#calls.get(index) ?? new CallNumbers(this.#head?.id)
    const calls = numbers.take(delta.tool_calls)
    // Agents mistake an empty list for calls.
    if (calls.length === 0) delete delta.tool_calls
    else delta.tool_calls = calls
    if (calls.length > 0) this.#calls.set(index, numbers)
  }

  #end(): AnswerChunk[] {
    const last = [...this.#heldBack(), ...this.#unsaidEnds()]
    this.done = true
    return last
  }

  /** Our format has a finish reason for every choice. It is supplied only for hosts that are known to omit it. */
  #unsaidEnds(): AnswerChunk[] {
    const unsaid = [...this.#begun].filter((index) => !this.#finished.has(index))
    // A stream that only began is empty, whatever it ends with.
    if (unsaid.length === 0 || (this.#started.size === 0 && this.#calls.size === 0)) return []
    if (!unsaid.every((index) => this.#mayEndUnsaid(index))) throw endedWithoutReason('[DONE]')
    for (const index of unsaid) this.#finished.add(index)
    return this.#more(
      unsaid.map((index) => ({ index, delta: {}, finish_reason: this.#calls.has(index) ? 'tool_calls' : 'stop' })),
    )
  }

  #mayEndUnsaid(index: number): boolean {
    if (this.#endsWithoutReason === 'calls') return this.#calls.has(index)
    return this.#endsWithoutReason === 'always'
  }

  #more(choices: AnswerChunk['choices']): AnswerChunk[] {
    if (!this.#head) return []
    const { id, created, model, object } = this.#head
    return [{ id, created, model, object, choices }]
  }
}

/** Nothing is in the place of the choices, or of one of them; anything else there may have been a part of the answer. */
function choicesIn({ choices }: Fields): unknown[] {
  const list = Array.isArray(choices) ? choices.filter((choice) => choice !== null) : (choices ?? [])
  if (!Array.isArray(list) || !list.every(isRecord)) throw unreadable()
  return list
}

/** A chunk that cannot have a part of the answer. Some hosts send their errors in that form. */
function isEmpty({ choices, usage }: AnswerChunk): boolean {
  return choices.length === 0 && !usage
}

function isChunk(value: unknown): value is AnswerChunk {
  return isRecord(value) && Array.isArray(value.choices) && value.choices.every(isRecord)
}
