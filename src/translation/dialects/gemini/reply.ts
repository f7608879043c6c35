import type { Answer, AnswerChoice, AnswerDelta, AnswerMessage } from '../../wire/answer.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { errorEvent } from '../answer/error-event.ts'
import { partsOf } from '../answer/unreadable-event.ts'
import { billedAnyway } from '../answer/whole-answer.ts'
import { settledIndices } from '../answer/choice-numbers.ts'
import { notAnAnswer, refuseTooManyChoices } from '../answer-problems.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { CandidateReader } from './candidate-reader.ts'
import { isBreakdown, refuseOpenCall, toEnding } from './finish-reason.ts'
import { toLogprobs } from './logprobs.ts'
import { problemIn } from './problem.ts'
import { audioIdOf, callIds, headOf } from './reply-head.ts'
import { MAX_CANDIDATES } from './wire.ts'
import { searchesIn, serviceTierOf, toUsage } from './usage.ts'
import { parseWritten } from '../../json/written-numbers.ts'

const NO_ANSWER = 'the provider sent a reply without an answer'

export function decode(text: string): Answer {
  const value = tryParse(text, parseWritten)
  const error = problemIn(value)
  if (error) throw error
  if (!isReply(value)) throw errorEvent({ data: text }, value) ?? notAnAnswer(text, 'a reply of generateContent')
  const searches = recordsIn(value.candidates).map(({ groundingMetadata }) => searchesIn(groundingMetadata))
  const usage = toUsage(
    value.usageMetadata,
    searches.reduce((sum, count) => sum + count, 0),
  )
  const service_tier = serviceTierOf(value.usageMetadata)
  return {
    ...(headOf(value) as Pick<Answer, 'id' | 'created' | 'model'>),
    object: 'chat.completion',
    choices: billedAnyway(usage, () => choicesOf(value)),
    ...(usage && { usage }),
    ...(service_tier && { service_tier }),
  }
}

export function isReply(value: unknown): value is Fields {
  if (!isRecord(value)) return false
  return value.candidates !== undefined || value.promptFeedback !== undefined || value.usageMetadata !== undefined
}

/** A blocked prompt has no candidates, only a reason. */
export function isBlocked(reply: Fields): boolean {
  return textOf(recordOf(reply.promptFeedback).blockReason) !== ''
}

/** The model failed before it wrote anything: another one may succeed. */
export function breakdown({ finishReason, finishMessage }: Fields): UpstreamProblem {
  const reason = textOf(finishMessage) || textOf(finishReason) || 'no reason given'
  return new UpstreamProblem('empty', `${NO_ANSWER}: ${reason}`)
}

function choicesOf(reply: Fields): AnswerChoice[] {
  const candidates = partsOf(reply.candidates)
  if (candidates.length === 0 && isBlocked(reply)) return [blocked()]
  refuseTooManyChoices(candidates.length)
  if (candidates.length === 0) throw new UpstreamProblem('empty', NO_ANSWER)
  const indices = settledIndices(candidates.map(indexOf))
  const read = candidates.map((candidate, at) => toChoice(candidate, indices[at]!, reply))
  if (!read.some(({ answered }) => answered)) throw breakdown(candidates[0]!)
  return read.map(({ choice }) => choice)
}

function blocked(): AnswerChoice {
  return { index: 0, message: { role: 'assistant', content: null }, finish_reason: 'content_filter', logprobs: null }
}

function toChoice(candidate: Fields, index: number, reply: Fields): { choice: AnswerChoice; answered: boolean } {
  const reader = new CandidateReader(callIds(reply, index), audioIdOf(reply, index))
  const delta = reader.read(candidate)
  const ending = toEnding(candidate.finishReason, reader.hasCalls)
  refuseOpenCall(reader, ending)
  const message = toMessage(delta, reader.end())
  const choice = { index, message, ...ending, logprobs: toLogprobs(candidate.logprobsResult) }
  return { choice, answered: reader.hasContent || !isBreakdown(ending) }
}

export function indexOf({ index }: Fields, at: number): number {
  return Number.isInteger(index) && Number(index) >= 0 && Number(index) < MAX_CANDIDATES ? Number(index) : at
}

function toMessage(delta: AnswerDelta, closing: AnswerDelta): AnswerMessage {
  const { tool_calls, audio, placedBlocks: _, ...rest } = delta
  const { tool_calls: lateCalls, audio: lateAudio, ...others } = closing
  const calls = [...(tool_calls ?? []), ...(lateCalls ?? [])].map(({ index: _, ...call }) => call)
  return {
    role: 'assistant',
    content: null,
    ...rest,
    ...others,
    ...(audio && { audio: { ...audio, data: `${audio.data}${lateAudio?.data ?? ''}` } }),
    ...(calls.length > 0 && { tool_calls: calls as AnswerMessage['tool_calls'] }),
  } as AnswerMessage
}
