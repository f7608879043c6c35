import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import { refuseTooManyChoices } from '../answer-problems.ts'
import type { ChatDecoder, WithCompat } from '../chat-codec.ts'
import { type Fields, isRecord } from '../../schema/record.ts'
import { CallNumbers } from './call-numbers.ts'
import { finishReason } from './finish.ts'
import type { Compat, ReasoningTag } from './compat.ts'
import { StreamedSources } from './listed-sources.ts'
import { PartStreams } from './part-blocks.ts'
import { problemIn } from './problem.ts'
import { normalizeMessage } from './normalize-message.ts'
import { settleTagged, ReasoningTags } from './reasoning-tags.ts'
import { costIn, settleUsage } from './usage.ts'

export function decoder(request: ChatRequest, { compat }: WithCompat = {}): ChatDecoder {
  return new OpenAiDecoder(request.n ?? 1, compat)
}

class OpenAiDecoder implements ChatDecoder {
  readonly #requestedChoices: number
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()
  /** The choices that have sent more than a role. */
  readonly #started = new Set<number>()
  /** The call numbers of the choices that call tools. */
  readonly #calls = new Map<number, CallNumbers>()
  readonly #tag: ReasoningTag | undefined
  /** The reasoning tags of the choices, if the model may use them. */
  readonly #tags = new Map<number, ReasoningTags>()
  readonly #parts: PartStreams
  readonly #sources = new StreamedSources()
  #gatewayCost: unknown
  #head: ChatChunk | undefined
  done = false
  malformed = 0

  constructor(requestedChoices: number, compat: Compat | undefined) {
    this.#requestedChoices = requestedChoices
    this.#tag = compat?.reasoningTag
    this.#parts = new PartStreams(compat)
  }

  /** `[DONE]` alone also ends a stream, and a stream with all its finish reasons needs no `[DONE]`. */
  get ended() {
    return this.done || (this.#finished.size >= this.#requestedChoices && this.#finished.size >= this.#begun.size)
  }

  feed({ data }: WireEvent): ChatChunk[] {
    if (this.done) return []
    if (data === '[DONE]') {
      this.done = true
      return [...this.#heldBack(), ...this.#unsaidEnds()]
    }
    const chunk = tryParse(data)
    const error = problemIn(chunk)
    if (error) throw error
    if (!isChunk(chunk)) {
      this.malformed++
      return []
    }
    refuseTooManyChoices(chunk.choices.length)
    // Azure's filter result for the prompt: it contains no content and no role.
    if (chunk.choices.length === 0 && !chunk.usage) return []
    // watsonx omits the object type.
    chunk.object ??= 'chat.completion.chunk'
    this.#head ??= chunk
    const finished = this.#finished.size
    chunk.choices = chunk.choices.filter((choice) => this.#follow(choice))
    this.#sources.take(chunk)
    // Usage comes in its own field, or with a finish reason: there is no need to look elsewhere.
    if (chunk.usage || this.#finished.size > finished) settleUsage(chunk, this.#gatewayCost)
    return [chunk]
  }

  /**
   * Enforces the grammar: the role once, at the beginning, and nothing after the finish reason. Returns false if the choice
   * is not to be passed on.
   */
  #follow(choice: ChatChunk['choices'][number]): boolean {
    if (typeof choice.index !== 'number') choice.index = 0
    if (this.#finished.has(choice.index)) return false
    const delta = isRecord(choice.delta) ? choice.delta : {}
    const isFirst = !this.#begun.has(choice.index)
    if (isFirst) this.#begin(choice.index)
    if (!isFirst && delta.role !== undefined) delete delta.role
    this.#parts.take(choice.index, delta, Boolean(choice.finish_reason))
    normalizeMessage(delta)
    if (this.#tag) settleTagged(delta, this.#tagsOf(choice.index, this.#tag), Boolean(choice.finish_reason))
    if ('provider_metadata' in delta) this.#gatewayCost = costIn([choice])
    if (delta.tool_calls != null) this.#number(choice.index, delta)
    if (delta.content || delta.reasoning_content || delta.refusal || delta.audio) this.#started.add(choice.index)
    choice.delta = isFirst ? { ...delta, role: 'assistant' } : delta
    if (choice.finish_reason) {
      choice.finish_reason = finishReason(choice.finish_reason)
      this.#finished.add(choice.index)
    } else choice.finish_reason = null
    return true
  }

  #begin(index: number): void {
    this.#begun.add(index)
    refuseTooManyChoices(this.#begun.size)
  }

  #tagsOf(index: number, tag: ReasoningTag): ReasoningTags {
    const known = this.#tags.get(index)
    if (known) return known
    const tags = new ReasoningTags(tag)
    this.#tags.set(index, tags)
    return tags
  }

  /** A partial tag without an end is plain text. */
  #heldBack(): ChatChunk[] {
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

  #number(index: number, delta: ChatChunk['choices'][number]['delta']): void {
    const numbers = this.#calls.get(index) ?? new CallNumbers(this.#head?.id)
    const calls = numbers.take(delta.tool_calls)
    // Agents mistake an empty list for calls.
    if (calls.length === 0) delete delta.tool_calls
    else delta.tool_calls = calls
    if (calls.length > 0) this.#calls.set(index, numbers)
  }

  /** Some hosts (xAI with tool calls) end without a finish reason. Our format has one for every choice. */
  #unsaidEnds(): ChatChunk[] {
    const choices: ChatChunk['choices'] = []
    for (const index of this.#begun) {
      const calls = this.#calls.has(index)
      if (this.#finished.has(index) || !(calls || this.#started.has(index))) continue
      this.#finished.add(index)
      choices.push({ index, delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' })
    }
    return choices.length > 0 ? this.#more(choices) : []
  }

  #more(choices: ChatChunk['choices']): ChatChunk[] {
    if (!this.#head) return []
    const { id, created, model, object } = this.#head
    return [{ id, created, model, object, choices }]
  }
}

function isChunk(value: unknown): value is ChatChunk {
  return isRecord(value) && Array.isArray(value.choices) && value.choices.every(isRecord)
}
