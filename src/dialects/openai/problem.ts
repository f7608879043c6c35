import { tryParse } from '../../json/try-parse.ts'
import { sentenceOf } from '../answer-problems.ts'
import { isRecord } from '../record.ts'
import { kindOfStatus, type ProblemKind, UpstreamProblem } from '../../contract/upstream-problem.ts'

// https://platform.openai.com/docs/guides/error-codes, and what compatible servers make of it: the code may be a number,
// the error a bare string, the body flat, the status 200.

type WireError = { message?: unknown; type?: unknown; code?: unknown; param?: unknown }

const BY_CODE: Record<string, ProblemKind> = {
  context_length_exceeded: 'context_length',
  content_policy_violation: 'content_policy',
  content_filter: 'content_policy',
  moderation_blocked: 'content_policy',
  model_not_found: 'model_not_found',
  insufficient_quota: 'auth',
  credit_balance_exhausted: 'auth',
  invalid_api_key: 'auth',
}

const TOO_LONG = /context length|context window|maximum context|too many tokens|prompt is too long/i

export function problem(status: number, text: string): UpstreamProblem {
  return toProblem(errorIn(tryParse(text)) ?? {}, status)
}

/** An error that came with status 200: as a whole answer or as an event of a stream. */
export function problemIn(value: unknown): UpstreamProblem | undefined {
  const error = isRecord(value) && value.error ? errorIn(value) : undefined
  return error && toProblem(error, isErrorStatus(error.code) ? error.code : 500)
}

function isErrorStatus(code: unknown): code is number {
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600
}

function errorIn(value: unknown): WireError | undefined {
  if (!isRecord(value)) return undefined
  const inner = 'error' in value ? value.error : value
  if (typeof inner === 'string') return { message: inner }
  return isRecord(inner) ? inner : undefined
}

function toProblem(error: WireError, status: number): UpstreamProblem {
  const message = sentenceOf(error.message, status)
  const code = typeof error.code === 'string' ? error.code : undefined
  const param = typeof error.param === 'string' ? error.param : undefined
  const more = { status, ...(code && { code }), ...(param && { param }) }
  return new UpstreamProblem(kindOf(status, code, message), message, more)
}

function kindOf(status: number, code: string | undefined, message: string): ProblemKind {
  if (code && BY_CODE[code]) return BY_CODE[code]
  if (status === 400 && TOO_LONG.test(message)) return 'context_length'
  // A redirect is the server's doing, not the caller's: it is not followed, and it is no answer.
  return kindOfStatus(status)
}
