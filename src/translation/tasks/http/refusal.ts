import { kindOfStatus, type ProblemKind } from '../../wire/upstream-problem.ts'
import { readRetryAfter } from '../../wire/retry-after.ts'
import type { WireResponse } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Tools } from '../feature.ts'
import { errorIn } from './error-in.ts'
import { TaskFailure } from './task-failure.ts'

/** Codes that are more specific than their status, by meaning. */
const CODES: Partial<Record<ProblemKind, string[]>> = {
  content_policy: [
    ...['content_filter', 'content_policy_violation', 'moderation_blocked', 'content_moderation'],
    ...['InputTextSensitiveContentDetected', 'InputImageSensitiveContentDetected'],
  ],
  context_length: ['context_length_exceeded', 'TextSizeLimitExceededException', 'DocumentTooLargeException'],
  auth: [
    ...['insufficient_quota', 'invalid_api_key', 'API_KEY_INVALID', 'SERVICE_DISABLED', 'OptInRequired'],
    ...['AccessDeniedException', 'UnrecognizedClientException', 'InvalidSignatureException', 'ExpiredTokenException'],
    'INSUFFICIENT_FUNDS_CREDITS',
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

/** A provider's message about a credential may quote the credential, so the caller gets our own message. */
export const AUTH_SENTENCE = "the provider refused the gateway's credential or its account"

/** The failure that an error answer means. */
export function refusal({ status, headers }: WireResponse, text: string, tools: Tools): TaskFailure {
  const { message, codes } = errorIn(tryParse(text), headers['x-amzn-errortype'])
  const kind = codes.map((code) => KIND_OF_CODE.get(code)).find(Boolean) ?? kindOfStatus(status)
  const reported = kind === 'auth' ? AUTH_SENTENCE : tools.redacted(message)
  return new TaskFailure(kind, reported || `the provider answered with status ${status}`, {
    status,
    ...(codes[0] && { code: tools.redacted(codes[0]) }),
    retryAfterSeconds: readRetryAfter({ status, headers }, tools.now()),
  })
}

/** The provider accepted the task and then failed. Another provider may succeed. */
export function abandoned(tools: Tools, code: unknown, message: unknown): TaskFailure {
  const words = typeof message === 'string' && message !== '' ? tools.redacted(message) : ''
  return new TaskFailure('context_length', words || 'the provider could not do the task', {
    status: 422,
    code: typeof code === 'string' && code !== '' ? tools.redacted(code) : 'provider_failed',
  })
}
