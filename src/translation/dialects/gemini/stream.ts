import type { ChatRequest } from '../../../contract/chat.ts'
import type { AnswerChunk, AnswerDelta } from '../../wire/answer.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Ending } from '../answer/finish-reason.ts'
import { errorEvent } from '../answer/error-event.ts'
import { partsOf, refuseUnreadable } from '../answer/unreadable-event.ts'
import { saysSomething } from '../answer/says-something.ts'
import { ChoiceNumbers } from '../answer/choice-numbers.ts'
import { refuseTooManyChoices } from '../answer-problems.ts'
import { OPENING } from '../chunk.ts'
import type { ChatDecoder } from '../chat-codec.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { CandidateReader } from './candidate-reader.ts'
import { isBreakdown, refuseOpenCall, toEnding } from './finish-reason.ts'
import { toLogprobs } from './logprobs.ts'
import { problemIn } from './problem.ts'
import { breakdown, indexOf, isBlocked, isReply } from './reply.ts'
import { audioIdOf, callIds, headOf, type ReplyHead } from './reply-head.ts'
import { hasCounts, hasTier, serviceTierOf, toUsage } from './usage.ts'
import { parseWritten } from '../../json/written-numbers.ts'

export function decoder({ n }: ChatRequest): ChatDecoder {
  return new GeminiDecoder(n ?? 1)
}

type Answer = { index: number; reader: CandidateReader; begun: boolean; finished: boolean }

/**
 * Every event is a complete reply with the next parts. There is no final event: the end of the connection is the end of the
 * stream.
 */
class GeminiDecoder implements ChatDecoder {
  readonly #requested: number
  readonly #numbers: ChoiceNumbers
  readonly #answers = new Map<number, Answer>()
  #head: ReplyHead | undefined
  #unfinished = 0
  /** The last usage and tier as they arrived: only the final ones matter. */
  #counts: unknown
  #tier: unknown
  readonly done = false
  malformed = 0

  constructor(requested: number) {
    this.#requested = requested
    this.#numbers = new ChoiceNumbers(requested)
  }

  get ended() {
    return this.#answers.size > 0 && this.#unfinished === 0
  }

  feed(event: WireEvent): AnswerChunk[] {
    const reply = tryParse(event.data, event.data.includes('functionCall') ? parseWritten : undefined)
    const error = problemIn(reply) ?? (isReply(reply) ? undefined : errorEvent(event, reply))
    if (error) throw error
    if (!isReply(reply)) return this.#passOver(event, reply)
    this.#head ??= headOf(reply)
    const candidates = partsOf(reply.candidates)
    refuseTooManyChoices(candidates.length)
    const chunks = candidates.flatMap((candidate, at) => this.#follow(candidate, at, reply))
    if (isBlocked(reply)) chunks.push(...this.#block(reply))
    return [...chunks, ...this.#count(reply)]
  }

  #passOver({ data }: WireEvent, value: unknown): AnswerChunk[] {
    if (!isRecord(value)) refuseUnreadable(data)
    this.malformed++
    return []
  }

  /** What this event adds to an answer. If more follows its end, the lists of the whole answer are sent again. */
  #follow(candidate: Fields, at: number, reply: Fields): AnswerChunk[] {
    const index = this.#numbers.of(indexOf(candidate, at))
    // The answer is complete, so this candidate is of another one.
    if (this.ended && this.#answers.size >= this.#requested && !this.#answers.has(index)) return []
    const answer = this.#answer(index, reply)
    const delta = answer.reader.read(candidate)
    const logprobs = toLogprobs(candidate.logprobsResult)
    const isNews = saysSomething(delta) || logprobs !== null
    const chunks = isNews ? [this.#chunk(answer, delta, undefined, logprobs)] : []
    const ending = toEnding(candidate.finishReason, answer.reader.hasCalls)
    const isEnd = ending.finish_reason !== null
    if (!isEnd && !(answer.finished && isNews)) return chunks
    if (isEnd) refuseOpenCall(answer.reader, ending)
    const closing = answer.reader.end()
    if (isBreakdown(ending) && !this.#hasContent()) throw breakdown(candidate)
    if (Object.keys(closing).length > 0) chunks.push(this.#chunk(answer, closing))
    return isEnd ? [...chunks, ...this.#finish(answer, ending)] : chunks
  }

  /** The prompt was refused: there is no answer, or it stays as it is. */
  #block(reply: Fields): AnswerChunk[] {
    if (this.#answers.size === 0) this.#answer(0, reply)
    const open = [...this.#answers.values()].filter(({ finished }) => !finished)
    return open.flatMap((answer) => this.#finish(answer, { finish_reason: 'content_filter' }))
  }

  #finish(answer: Answer, ending: Ending): AnswerChunk[] {
    const opening = answer.begun ? [] : [this.#chunk(answer, {})]
    if (!answer.finished) this.#unfinished--
    answer.finished = true
    return [...opening, this.#chunk(answer, {}, ending)]
  }

  /** Usage comes with every event and grows: the usage of an incomplete reply would make a wrong bill. */
  #count({ usageMetadata }: Fields): AnswerChunk[] {
    if (hasCounts(usageMetadata)) this.#counts = usageMetadata
    if (hasTier(usageMetadata)) this.#tier = usageMetadata
    if (!this.ended) return []
    const usage = toUsage(this.#counts, this.#searches())
    const service_tier = serviceTierOf(this.#tier)
    this.#counts = undefined
    return usage ? [{ ...this.#envelope(), choices: [], usage, ...(service_tier && { service_tier }) }] : []
  }

  #answer(index: number, reply: Fields): Answer {
    const existing = this.#answers.get(index)
    if (existing) return existing
    const reader = new CandidateReader(callIds(reply, index), audioIdOf(reply, index))
    const answer = { index, reader, begun: false, finished: false }
    this.#answers.set(index, answer)
    refuseTooManyChoices(this.#answers.size)
    this.#unfinished++
    return answer
  }

  #searches(): number {
    return this.#answers.values().reduce((sum, { reader }) => sum + reader.searches, 0)
  }

  #hasContent(): boolean {
    return this.#answers.values().some(({ reader }) => reader.hasContent)
  }

  #chunk(
    answer: Answer,
    delta: AnswerDelta,
    ending: Ending = { finish_reason: null },
    logprobs: Fields | null = null,
  ): AnswerChunk {
    const content = answer.begun ? delta : { ...OPENING, ...delta }
    answer.begun = true
    return { ...this.#envelope(), choices: [{ index: answer.index, delta: content, ...ending, logprobs }] }
  }

  #envelope(): Omit<AnswerChunk, 'choices'> {
    return { ...(this.#head as Pick<AnswerChunk, 'id' | 'created' | 'model'>), object: 'chat.completion.chunk' }
  }
}
