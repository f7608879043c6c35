import type { ValidationIssue } from '../base/schema/validation-issue.ts'

// The table of all errors: code, status, the group that clients sort by, and the message.

export const PROBLEMS = {
  bad_request: row(400, 'invalid_request_error', 'The request is not valid HTTP.'),
  unsupported_endpoint: row(400, 'invalid_request_error', 'This model does not support this endpoint.'),
  content_blocked: row(400, 'invalid_request_error', 'A hook blocked this request.'),
  invalid_api_key: row(
    401,
    'authentication_error',
    'Missing or invalid API key. Send it as "Authorization: Bearer <key>".',
  ),
  sign_in_failed: row(401, 'authentication_error', 'The e-mail address or the password is wrong.'),
  budget_exhausted: row(402, 'insufficient_quota', 'A budget that applies to this request is spent.'),
  budget_unpriced: row(402, 'insufficient_quota', 'A budget applies, and the price of this model is not known.'),
  guardrail_blocked: row(403, 'permission_error', 'A guardrail blocked this call.'),
  not_allowed: row(403, 'permission_error', 'This key may not use this endpoint or model.'),
  not_found: row(404, 'invalid_request_error', 'There is nothing at this path. /docs lists all endpoints.'),
  model_not_found: row(404, 'invalid_request_error', 'There is no such model. GET /v3/models lists the models.'),
  method_not_allowed: row(405, 'invalid_request_error', 'This path exists, but not with this method.'),
  conflict: row(409, 'invalid_request_error', 'The state of this object does not allow that now.'),
  too_large: row(413, 'invalid_request_error', 'The request body is larger than this gateway accepts.'),
  unsupported_media_type: row(
    415,
    'invalid_request_error',
    'This endpoint does not take that content type. Send application/json.',
  ),
  validation_error: row(422, 'invalid_request_error', 'The request is not valid.'),
  provider_not_configured: row(424, 'invalid_request_error', 'This provider has no credential here.'),
  websocket_not_supported: row(
    426,
    'invalid_request_error',
    'There is no WebSocket here. Use HTTP: with "stream": true, an answer comes as server-sent events.',
  ),
  websocket_only: row(
    426,
    'invalid_request_error',
    'This address is for WebSockets. Send POST to get a response over HTTP.',
  ),
  rate_limited: row(429, 'rate_limit_error', 'Too many requests.'),
  rate_limit_exceeded: row(429, 'rate_limit_error', 'A rate limit of this gateway is exceeded.'),
  region_not_allowed: row(451, 'request_forbidden', "This model is not available in this key's region."),
  internal_error: row(
    500,
    'server_error',
    'Something went wrong inside the gateway. Its log has the details under the request id.',
  ),
  not_implemented: row(501, 'invalid_request_error', 'This endpoint is not implemented.'),
  upstream_error: row(502, 'server_error', 'The provider failed to answer.'),
  upstream_auth: row(
    502,
    'server_error',
    "The provider refused the gateway's credential. The operator of the gateway has to check it.",
  ),
  guardrail_failed: row(503, 'server_error', 'A guardrail could not check this call. Try again shortly.'),
  overloaded: row(503, 'server_error', 'The gateway is at its limit. Try again shortly.'),
  unavailable: row(
    503,
    'server_error',
    'A part of the gateway that this request needs is not reachable. Try again shortly.',
  ),
  upstream_timeout: row(504, 'server_error', 'The provider did not answer in time.'),
} as const

export type ProblemCode = keyof typeof PROBLEMS

export type ProblemDetails = {
  message?: string
  param?: string | null
  /** The provider's own status and code, if they concern the caller. */
  status?: number
  code?: string
  type?: string
  retryAfterSeconds?: number
  /** The status in the messages format, where it has one of its own. */
  statusInMessages?: number
  detail?: readonly ValidationIssue[]
  headers?: Record<string, string>
  /** Which time limit was reached: connect, headers, first_token, idle or total. */
  limit?: string
  /** Further members of `error` itself. */
  members?: Record<string, unknown>
  /** Further members of the body, beside `error`. */
  body?: Record<string, unknown>
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: string
  readonly type: string
  readonly details: ProblemDetails

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(shortened(details.message ?? PROBLEMS[code].sentence, MAX_MESSAGE_CHARS))
    this.status = details.status ?? PROBLEMS[code].status
    this.code = details.code ?? code
    this.type = details.type ?? PROBLEMS[code].type
    this.details = details.detail ? { ...details, detail: shortIssues(details.detail) } : details
  }

  /** The same problem, except for these details. */
  with(changes: ProblemDetails): Problem {
    const { details, message, status, code, type } = this
    return new Problem('upstream_error', { ...details, message, status, code, type, ...changes })
  }
}

/** An error may quote the caller's input, but it never gets much longer than necessary. */
const MAX_MESSAGE_CHARS = 4_000
const MAX_ISSUES = 100
const MAX_LOC_CHARS = 200

function shortIssues(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  return issues.slice(0, MAX_ISSUES).map(({ loc, msg, type }) => ({
    loc: loc.map((step) => (typeof step === 'string' ? shortened(step, MAX_LOC_CHARS) : step)),
    msg: shortened(msg, MAX_MESSAGE_CHARS),
    type,
  }))
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`
}

export function problem(code: ProblemCode, details?: ProblemDetails): Problem {
  return new Problem(code, details)
}

function row(status: number, type: string, sentence: string) {
  return { status, type, sentence }
}
