import { kindOfStatus, type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { codeOf, sentenceOf } from '../answer-problems.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../../../base/units/units.ts'

// https://ai.google.dev/gemini-api/docs/troubleshooting: `{error: {code, message, status, details}}`, sometimes in a list
// of one, sometimes with status 200.

/** A daily quota is reset at midnight in California, so an early retry is useless. */
const DAILY_QUOTA_RETRY_SECONDS = HOUR_SECONDS
const MAX_RETRY_SECONDS = DAY_SECONDS

const BY_WORD = new Map<string, { kind: ProblemKind; status: number }>([
  ['INVALID_ARGUMENT', { kind: 'bad_request', status: 400 }],
  ['OUT_OF_RANGE', { kind: 'bad_request', status: 400 }],
  // Billing is not set up, or Google does not serve this region: the operator has to act.
  ['FAILED_PRECONDITION', { kind: 'auth', status: 400 }],
  ['UNAUTHENTICATED', { kind: 'auth', status: 401 }],
  ['PERMISSION_DENIED', { kind: 'auth', status: 403 }],
  ['NOT_FOUND', { kind: 'model_not_found', status: 404 }],
  ['ABORTED', { kind: 'conflict', status: 409 }],
  ['RESOURCE_EXHAUSTED', { kind: 'rate_limited', status: 429 }],
  // Google cancelled the call. When we cancel, we close the socket and do not read this.
  ['CANCELLED', { kind: 'server_error', status: 499 }],
  ['INTERNAL', { kind: 'server_error', status: 500 }],
  ['UNKNOWN', { kind: 'server_error', status: 500 }],
  ['UNAVAILABLE', { kind: 'overloaded', status: 503 }],
  ['DEADLINE_EXCEEDED', { kind: 'timeout', status: 504 }],
])

const BAD_KEY = /api key (not valid|expired|not found)|pass a valid api key/i
const TOO_LONG =
  /exceeds the maximum number of tokens|input token count.{0,200}(exceeds|only supports)|context (length|window)/i
const TOO_LARGE = /payload size exceeds|request (body )?(is )?too large/i

export function problem(status: number, text: string): UpstreamProblem {
  return toProblem(errorIn(tryParse(text)) ?? {}, status)
}

/** An error that came with status 200, as a whole answer or as an event of a stream. */
export function problemIn(value: unknown): UpstreamProblem | undefined {
  const error = errorIn(value)
  return error && toProblem(error, statusOf(error))
}

function errorIn(value: unknown): Fields | undefined {
  const { error } = recordOf(Array.isArray(value) ? value[0] : value)
  if (typeof error === 'string') return { message: error }
  return isRecord(error) ? error : undefined
}

function statusOf({ code, status }: Fields): number {
  if (Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600) return Number(code)
  return BY_WORD.get(textOf(status))?.status ?? 500
}

function toProblem(error: Fields, status: number): UpstreamProblem {
  const message = sentenceOf(error.message, status)
  const details = recordsIn(error.details)
  const kind = kindOf(error, status, message, details)
  const param = textOf(recordsIn(named(details, 'BadRequest')?.fieldViolations)[0]?.field)
  const found = new UpstreamProblem(kind, message, {
    status,
    ...codeOf(kind, textOf(error.status)),
    ...(param && { param }),
  })
  found.retryAfterSeconds = kind === 'rate_limited' || kind === 'overloaded' ? retryAfter(details, message) : undefined
  return found
}

function kindOf({ status: word }: Fields, status: number, message: string, details: Fields[]): ProblemKind {
  if (named(details, 'ErrorInfo')?.reason === 'API_KEY_INVALID' || BAD_KEY.test(message)) return 'auth'
  const kind = BY_WORD.get(textOf(word))?.kind ?? kindOfStatus(status)
  if (kind !== 'bad_request') return kind
  if (TOO_LONG.test(message)) return 'context_length'
  return status === 413 || TOO_LARGE.test(message) ? 'too_large' : kind
}

function retryAfter(details: Fields[], message: string): number | undefined {
  if (isDailyQuota(details)) return DAILY_QUOTA_RETRY_SECONDS
  const delay = textOf(named(details, 'RetryInfo')?.retryDelay) || /retry in ([\d.]+s)/i.exec(message)?.[1]
  const seconds = Number(/^(\d+(\.\d+)?)s$/.exec(delay ?? '')?.[1] ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_SECONDS, Math.ceil(seconds)) : undefined
}

/** The delay in this error belongs to the quota per minute, so waiting for it is useless. */
function isDailyQuota(details: Fields[]): boolean {
  const violations = recordsIn(named(details, 'QuotaFailure')?.violations)
  return violations.some(({ quotaId, quotaMetric }) => /per_?day/i.test(`${textOf(quotaId)} ${textOf(quotaMetric)}`))
}

function named(details: Fields[], name: string): Fields | undefined {
  return details.find((detail) => textOf(detail['@type']).endsWith(`google.rpc.${name}`))
}
