import { kindOfStatus, type ProblemKind } from '../../contract/upstream-problem.ts'
import type { WireResponse } from '../../contract/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Tools } from '../feature.ts'
import { redacted } from '../../contract/redacted.ts'
import { TaskFailure } from './task-failure.ts'

/** Codes that say more than the status they come with. */
const BY_CODE: Record<string, ProblemKind> = {
  content_filter: 'content_policy',
  content_policy_violation: 'content_policy',
  moderation_blocked: 'content_policy',
  context_length_exceeded: 'context_length',
  insufficient_quota: 'auth',
  invalid_api_key: 'auth',
  model_not_found: 'model_not_found',
}

/** A provider's words on a credential may quote it, in part or whole: the caller gets ours instead. */
const AUTH_SENTENCE = "the provider refused the gateway's credential or its account"

/** What an answer that is not a success means. */
export function refusal({ status, headers }: WireResponse, text: string, tools: Tools): TaskFailure {
  const error = errorIn(tryParse(text))
  const kind = kindOf(status, error.code)
  const hide = { secrets: tools.credential ? [tools.credential] : [], baseUrl: tools.baseUrl }
  const message = kind === 'auth' ? AUTH_SENTENCE : redacted(error.message, hide)
  return new TaskFailure(kind, message || `the provider answered with status ${status}`, {
    status,
    ...(error.code && { code: redacted(error.code, hide) }),
    retryAfterSeconds: retryAfter(headers['retry-after']),
  })
}

function kindOf(status: number, code: string): ProblemKind {
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code]!
  return kindOfStatus(status)
}

/** `{"error": {"message", "code"}}`, `{"error": "…"}`, `{"message"}` and `{"detail"}` are all there is, nearly. */
function errorIn(value: unknown): { message: string; code: string } {
  const outer = recordOf(value)
  const inner = typeof outer.error === 'object' ? recordOf(outer.error) : outer
  const message = [inner.message, outer.error, outer.detail].find((one) => typeof one === 'string' && one !== '')
  return { message: String(message ?? ''), code: typeof inner.code === 'string' ? inner.code : '' }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Seconds only; dates and nonsense are left to whoever waits. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined
}
