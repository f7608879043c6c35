import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { errorFields, statusIn } from '../answer/error-event.ts'
import { kindOfRefusal } from '../answer/operators-refusals.ts'
import { codeOf, sentenceOf } from '../answer-problems.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'

// https://platform.claude.com/docs/en/api/errors

/** Errors by type. Inside a stream, which began with status 200, the type also determines the status. */
const BY_TYPE: ReadonlyMap<unknown, { status: number; kind: ProblemKind }> = new Map([
  ['authentication_error', { status: 401, kind: 'auth' }],
  ['billing_error', { status: 402, kind: 'auth' }],
  ['permission_error', { status: 403, kind: 'auth' }],
  ['not_found_error', { status: 404, kind: 'model_not_found' }],
  ['conflict_error', { status: 409, kind: 'conflict' }],
  ['request_too_large', { status: 413, kind: 'too_large' }],
  ['rate_limit_error', { status: 429, kind: 'rate_limited' }],
  ['api_error', { status: 500, kind: 'server_error' }],
  ['timeout_error', { status: 504, kind: 'timeout' }],
  ['overloaded_error', { status: 529, kind: 'overloaded' }],
])

/** Errors that only their message identifies. */
const BY_WORDS: readonly (readonly [RegExp, ProblemKind])[] = [
  [/prompt is too long|exceed\w{0,3} (the )?context (limit|window)|context window|maximum context/i, 'context_length'],
  [/content filter|content policy|usage polic/i, 'content_policy'],
  // The account is out of credit: waiting does not help, but another provider may.
  [/credit balance is too low|(spend|usage|spending) limit/i, 'auth'],
]

export function problem(status: number, text: string): UpstreamProblem {
  return toProblem(errorIn(tryParse(text)) ?? {}, status)
}

/** An error that came with status 200, as a whole answer or as an event of a stream. */
export function problemIn(value: unknown): UpstreamProblem | undefined {
  if (!isRecord(value) || (value.type !== 'error' && (value.type !== undefined || !value.error))) return undefined
  const error = errorIn(value) ?? {}
  return toProblem(error, statusOf(error) ?? 500)
}

/** An event whose name or fields say that it is an error, in a form that this format does not have. */
export function problemOfEvent(event: WireEvent, value: unknown): UpstreamProblem | undefined {
  const error = errorFields(event, value)
  return error && toProblem(error, statusOf(error) ?? statusIn(error) ?? 500)
}

function statusOf({ type }: Fields): number | undefined {
  return type === 'invalid_request_error' ? 400 : BY_TYPE.get(type)?.status
}

function errorIn(value: unknown): Fields | undefined {
  if (!isRecord(value)) return undefined
  if (typeof value.error === 'string') return { message: value.error }
  return isRecord(value.error) ? value.error : value
}

function toProblem({ type, message, details }: Fields, status: number): UpstreamProblem {
  const sentence = sentenceOf(message, status)
  const inner = textOf(recordOf(details).error_code)
  const kind = kindOf(status, type, `${sentence} ${inner}`)
  const code = [inner, textOf(type)].find((name) => name !== '' && name !== 'error')
  return new UpstreamProblem(kind, sentence, { status, ...codeOf(kind, code) })
}

function kindOf(status: number, type: unknown, words: string): ProblemKind {
  const isWorded = status === 400 || status === 413 || status === 429
  const worded = isWorded ? BY_WORDS.find(([pattern]) => pattern.test(words.replaceAll('_', ' '))) : undefined
  return worded?.[1] ?? BY_TYPE.get(type)?.kind ?? kindOfRefusal(status, words, [type])
}
