import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Problem, type ProblemCode, problem } from '../contract/problems.ts'
import type { ValidationIssue } from '../base/schema/validation-issue.ts'
import { ClientGone } from '../calls/client-gone.ts'
import { NoCapacity } from '../base/fairness/fair-semaphore.ts'
import { SECOND_MS } from '../base/units/units.ts'
import { statusText } from './status-text.ts'

// The only place that creates error bodies, in the shape that clients of the chat completions format show to their users.

const RETRY_AFTER_SECONDS = 1
const UNPROCESSABLE = 422
/** A later try may succeed. */
const PASSING_STATUSES: readonly number[] = [408, 425, 429]
/** The same request would be refused again. A provider's 404 or 422 is the caller's too. */
export const PERMANENT_STATUSES: readonly number[] = [
  ...Array.from({ length: 100 }, (_, index) => 400 + index).filter((status) => !PASSING_STATUSES.includes(status)),
  501,
]
/** With these, only the operator can help. */
const PERMANENT_CODES: ReadonlySet<string> = new Set(['upstream_auth'])
/** Clients that wait longer than this keep their own callers waiting. */
const MAX_WAIT_SECONDS = 60

export function bodyOf(failure: Problem) {
  const { message, type, code, details } = failure
  const error = {
    message,
    type,
    code,
    param: details.param ?? null,
    ...(details.limit && { limit: details.limit }),
    ...details.members,
  }
  const detail = details.detail ?? (failure.status === UNPROCESSABLE ? [issueOf(failure)] : undefined)
  return { ...details.body, ...(detail && { detail }), error }
}

/** A provider's own 422 has a message at best. Clients of every 422 read `detail`. */
function issueOf({ message, details }: Problem): ValidationIssue {
  const path = details.param?.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  return { loc: ['body', ...(path ?? [])], msg: message, type: 'value_error' }
}

/** `hint` is a sentence about the first of them. */
export function validationProblem(detail: ValidationIssue[], hint = ''): Problem {
  const first = detail[0]
  const more = detail.length > 1 ? ` (and ${detail.length - 1} more)` : ''
  const path = first ? first.loc.slice(1).join('.') || 'body' : 'body'
  return problem('validation_error', {
    message: `${path}: ${first?.msg ?? 'not valid'}${more}${hint && `.${hint}`}`,
    param: path,
    detail,
  })
}

export function sendProblem(reply: FastifyReply, failure: Problem): FastifyReply {
  reply.request.errorCode = failure.code
  reply.headers({ ...failure.details.headers, ...retryHeaders(failure) })
  const isMessages = reply.request.url.startsWith('/v3/v1/messages')
  return reply.code(isMessages ? statusInMessages(failure, reply.request) : failure.status).send(bodyOf(failure))
}

const TOO_MANY = 429

/** The agents that people sign in with read a spent budget from a 429 whose type is `billing_error`. */
function statusInMessages({ code, status, details }: Problem, { caller }: FastifyRequest): number {
  if (code === 'budget_exhausted' && caller?.kind === 'session') return TOO_MANY
  return details.statusInMessages ?? status
}

/**
 * What clients read to decide whether they send a request again. `x-should-retry: false` overrides the rules of an SDK, so it is
 * only sent where a retry is of no use; otherwise the SDK decides, with our wait if we know one.
 */
function retryHeaders({ status, code, details }: Problem): Record<string, string> {
  const { retryAfterSeconds: seconds } = details
  const isLong = seconds !== undefined && seconds > MAX_WAIT_SECONDS
  const isPermanent = PERMANENT_STATUSES.includes(status) || PERMANENT_CODES.has(code)
  return {
    ...(seconds !== undefined && { 'retry-after': String(Math.ceil(seconds)) }),
    ...(seconds !== undefined && !isLong && { 'retry-after-ms': String(Math.ceil(seconds * SECOND_MS)) }),
    ...((isPermanent || isLong) && { 'x-should-retry': 'false' }),
  }
}

/** A whole answer as text, for connections that have no reply object. */
export function rawAnswer(failure: Problem): string {
  const { headers, body } = lastAnswer(failure)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${failure.status} ${statusText(failure.status)}\r\n${lines.join('')}\r\n${body}`
}

/** What the last answer on a connection consists of, for requests that do not reach the router. */
export function lastAnswer(failure: Problem): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(bodyOf(failure))
  const fixed = { 'cache-control': 'no-store', connection: 'close', 'content-type': 'application/json' }
  const own = { 'x-request-id': `req_${randomUUID()}`, ...fixed, ...failure.details.headers, ...retryHeaders(failure) }
  return { headers: { ...own, 'content-length': String(Buffer.byteLength(body)) }, body }
}

/**
 * Converts anything that was thrown to a problem. Unexpected errors are logged with their stack and answered with a bare
 * 500.
 */
export function asProblem(error: unknown, request: FastifyRequest, log: Logger): Problem {
  if (error instanceof Problem) return error
  const code = FRAMEWORK_CODES[(error as FastifyError).code]
  if (code) return problem(code)
  if (error instanceof NoCapacity || NO_FILES_LEFT.has((error as FastifyError).code))
    return problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  if (error instanceof Error && error.name === 'StoreUnavailable')
    return problem('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  // A client that disconnects is not an error of the gateway, and the request's own log line records it.
  if (!(error instanceof ClientGone)) log.error({ request_id: request.id, err: error }, 'unexpected error')
  return problem('internal_error')
}

/** The process or the machine has no file descriptors left. */
const NO_FILES_LEFT: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

const FRAMEWORK_CODES: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'validation_error',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'validation_error',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}
