import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { kindOfRefusal } from '../answer/operators-refusals.ts'
import { codeOf, sentenceOf } from '../answer-problems.ts'
import { recordOf, textOf } from '../../../base/schema/record.ts'

// https://docs.cohere.com/reference/errors: `{"message": …, "id": …}`, without a code.

const BLOCKED_STATUS = 498

/** Problems that the status alone does not identify. */
const SENTENCES: [statuses: readonly number[], words: RegExp, kind: ProblemKind][] = [
  [[400, 422], /too many tokens|token limit|context (length|window)|too long|exceeds? the max/i, 'context_length'],
  [[400, 422], /blocked (input|output|content)|content (filter|policy)|\bsafety\b|was blocked/i, 'content_policy'],
  [
    [400, 404, 422],
    /model .{0,200}(not found|does not exist|was removed|not supported)|unknown model/i,
    'model_not_found',
  ],
  // The monthly quota is used up: a short wait does not help.
  [[429], /per month|\/ ?month|trial key.{0,200}limited/i, 'auth'],
]

export function problem(status: number, text: string): UpstreamProblem {
  return toProblem(textOf(recordOf(tryParse(text)).message), status)
}

/** An error that came with status 200, instead of an answer or an event. */
export function problemIn(value: unknown): UpstreamProblem | undefined {
  const { type, message } = recordOf(value)
  return type === undefined && typeof message === 'string' ? toProblem(message, 500) : undefined
}

/** An answer that ended with an error, whole or streamed. */
export function problemOfEnd(reason: string, error: unknown): UpstreamProblem {
  const message = textOf(error) || textOf(recordOf(error).message)
  return toProblem(message || `the provider ended its answer with ${reason}`, reason === 'TIMEOUT' ? 504 : 500)
}

function toProblem(text: string, status: number): UpstreamProblem {
  const message = sentenceOf(text, status)
  const kind = kindOf(status, message)
  return new UpstreamProblem(kind, message, { status, ...codeOf(kind, undefined) })
}

function kindOf(status: number, message: string): ProblemKind {
  if (status === BLOCKED_STATUS) return 'content_policy'
  const reported = SENTENCES.find(([statuses, words]) => statuses.includes(status) && words.test(message))
  return reported?.[2] ?? kindOfRefusal(status, message)
}
