import { kindOfStatus, type ProblemKind } from '../../contract/upstream-problem.ts'
import type { WireResponse } from '../../contract/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Tools } from '../feature.ts'
import { TaskFailure } from './task-failure.ts'

/** Codes that say more than the status they come with, by what they mean. */
const CODES: Partial<Record<ProblemKind, string[]>> = {
  content_policy: ['content_filter', 'content_policy_violation', 'moderation_blocked'],
  context_length: ['context_length_exceeded', 'TextSizeLimitExceededException', 'DocumentTooLargeException'],
  auth: [
    ...['insufficient_quota', 'invalid_api_key', 'API_KEY_INVALID', 'SERVICE_DISABLED', 'OptInRequired'],
    ...['AccessDeniedException', 'UnrecognizedClientException', 'InvalidSignatureException', 'ExpiredTokenException'],
    ...['SubscriptionRequiredException', 'IncompleteSignatureException', 'MissingAuthenticationTokenException'],
  ],
  model_not_found: ['model_not_found'],
  rate_limited: [
    ...['ThrottlingException', 'ProvisionedThroughputExceededException', 'TooManyRequestsException'],
    ...['LimitExceededException', 'RESOURCE_EXHAUSTED', 'CONCURRENCY_LIMIT_EXCEEDED'],
  ],
}

const KIND_OF_CODE: ReadonlyMap<string, ProblemKind> = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) => codes.map((code) => [code, kind as ProblemKind] as const)),
)

/** A provider's words on a credential may quote it, in part or whole: the caller gets ours instead. */
const AUTH_SENTENCE = "the provider refused the gateway's credential or its account"

/** What an answer that is not a success means. */
export function refusal({ status, headers }: WireResponse, text: string, tools: Tools): TaskFailure {
  const { message, codes } = errorIn(tryParse(text), headers['x-amzn-errortype'])
  const kind = codes.map((code) => KIND_OF_CODE.get(code)).find(Boolean) ?? kindOfStatus(status)
  const told = kind === 'auth' ? AUTH_SENTENCE : tools.redacted(message)
  return new TaskFailure(kind, told || `the provider answered with status ${status}`, {
    status,
    ...(codes[0] && { code: tools.redacted(codes[0]) }),
    retryAfterSeconds: retryAfter(headers['retry-after']),
  })
}

/** A task that the provider took and then gave up on. Another provider may well manage it. */
export function givenUp(tools: Tools, code: unknown, message: unknown): TaskFailure {
  const words = typeof message === 'string' && message !== '' ? tools.redacted(message) : ''
  return new TaskFailure('context_length', words || 'the provider could not do the task', {
    status: 422,
    code: typeof code === 'string' && code !== '' ? tools.redacted(code) : 'provider_failed',
  })
}

/**
 * `{"error": {"message", "code"}}`, `{"error": "…"}`, `{"message"}` and `{"detail"}` are what most write; others say `msg`,
 * `err_msg`, `error_message`, a list of `errors`, an object in `detail`, or wrap it in `api_request` (Mindee). Amazon writes
 * `__type` for the code, or a header; Google has a number there, and its words in `status` and in the details.
 */
function errorIn(value: unknown, header: unknown): { message: string; codes: string[] } {
  const outer = recordOf(value)
  const inner = typeof outer.error === 'object' ? recordOf(outer.error) : outer
  const first = recordOf(Array.isArray(outer.errors) ? outer.errors[0] : undefined)
  const said = [
    ...[inner.message, inner.Message, inner.msg, inner.err_msg, inner.error_message, outer.error, outer.detail],
    ...[recordOf(outer.detail).message, recordOf(outer.detail).error, first.detail, first.message],
    ...[Array.isArray(outer.errors) ? outer.errors[0] : undefined, recordOf(recordOf(outer.api_request).error).message],
  ]
  const details = Array.isArray(inner.details) ? inner.details.map((one) => recordOf(one).reason) : []
  const codes = [
    ...[...details, inner.code, inner.status, amazonCode(inner.__type), amazonCode(header)],
    wordOfCapitals(inner.error_message),
  ]
  return { message: String(said.find(isWord) ?? ''), codes: codes.filter(isWord) }
}

/** `com.amazonaws.textract#ThrottlingException:http://…` */
function amazonCode(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replace(/^.*#/, '').replace(/:.*$/, '') : undefined
}

/** `CONCURRENCY_LIMIT_EXCEEDED`, `INVALID_OUTER_ID`: Face++ says what it is and no more. */
function wordOfCapitals(value: unknown): string | undefined {
  return typeof value === 'string' ? /^[A-Z][A-Z_]{3,}/.exec(value)?.[0] : undefined
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Seconds only; dates and nonsense are left to whoever waits. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined
}
