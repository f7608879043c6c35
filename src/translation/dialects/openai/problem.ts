import { tryParse } from '../../json/try-parse.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { errorFields, sentenceIn, statusIn } from '../answer/error-event.ts'
import { kindOfRefusal } from '../answer/operators-refusals.ts'
import { codeOf, sentenceOf } from '../answer-problems.ts'
import { MINIMAX_KINDS } from '../minimax-kinds.ts'
import { type Fields, isRecord, recordsIn } from '../../../base/schema/record.ts'
import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'

// https://platform.openai.com/docs/guides/error-codes, and the variants of compatible servers: the code may be a number,
// the error a bare string, the body flat, the status 200.

type WireError = Fields & { kind?: ProblemKind | undefined }

const BY_CODE: Record<string, ProblemKind> = {
  context_length_exceeded: 'context_length',
  content_policy_violation: 'content_policy',
  content_filter: 'content_policy',
  moderation_blocked: 'content_policy',
  model_not_found: 'model_not_found',
  // The number that Z.ai uses.
  1261: 'context_length',
  insufficient_quota: 'auth',
  credit_balance_exhausted: 'auth',
  invalid_api_key: 'auth',
}

/** The wordings of different hosts. */
const TOO_LONG = new RegExp(
  [
    ...['context length', 'context window', 'context size', 'maximum context', 'max context', 'prompt too long'],
    ...['too many tokens', 'prompt is too long', 'reduce the length of the messages', 'maximum prompt length'],
    ...['model token limit', 'too large for model with \\d+ maximum', 'input is too long'],
  ].join('|'),
  'i',
)
const LIMITED = /rate limit|per minute|please wait/i

export function problem(status: number, text: string): UpstreamProblem {
  return toProblem(errorIn(tryParse(text)) ?? {}, status)
}

/** An error that came with status 200, as a whole answer or as an event of a stream. */
export function problemIn(value: unknown): UpstreamProblem | undefined {
  if (Array.isArray(value) && value.length === 1) return problemIn(value[0])
  if (!isRecord(value)) return undefined
  const error = value.error || isFailed(value.base_resp) ? errorIn(value) : undefined
  return error && toProblem(error, statusIn(error) ?? 500)
}

/** An event that is no chunk: its name or its fields may say that it is an error. */
export function problemOfEvent(event: WireEvent, value: unknown): UpstreamProblem | undefined {
  const error = errorFields(event, value)
  return error && toProblem({ ...error, kind: undefined }, statusIn(error) ?? 500)
}

/** MiniMax sends a status with every answer. */
function isFailed(response: unknown): response is Fields & { status_code: number } {
  return isRecord(response) && typeof response.status_code === 'number' && response.status_code !== 0
}

/** In OpenAI's form, also in a list of one (Google); flat; a bare text; a list (Cloudflare); `detail` (FastAPI); `base_resp` (MiniMax). */
function errorIn(value: unknown): WireError | undefined {
  if (Array.isArray(value) && value.length === 1) return errorIn(value[0])
  if (!isRecord(value)) return undefined
  const { base_resp } = value
  if (isFailed(base_resp)) return minimaxError(base_resp)
  const inner = value.error ?? recordsIn(value.errors)[0] ?? value
  if (typeof inner === 'string') return { message: inner }
  if (!isRecord(inner)) return undefined
  return { ...inner, kind: undefined, message: sentenceIn(inner.message) ?? sentenceIn(inner) }
}

/** The numbers are MiniMax's own and mean other things elsewhere. */
function minimaxError({ status_msg, status_code }: Fields & { status_code: number }): WireError {
  return { message: status_msg, code: String(status_code), kind: MINIMAX_KINDS[status_code] }
}

function toProblem(error: WireError, status: number): UpstreamProblem {
  const message = sentenceOf(error.message, status)
  const code = typeof error.code === 'string' ? error.code : undefined
  const param = typeof error.param === 'string' ? error.param : undefined
  const kind = error.kind ?? kindOf(status, [code, error.type], message)
  return new UpstreamProblem(kind, message, { status, ...codeOf(kind, code), ...(param && { param }) })
}

function kindOf(status: number, codes: [code: string | undefined, type: unknown], message: string): ProblemKind {
  const [code] = codes
  if (code && BY_CODE[code]) return BY_CODE[code]
  if (isTooLong(status, message)) return 'context_length'
  return kindOfRefusal(status, message, codes)
}

/** Some hosts mention tokens when they mean the limit per minute. */
function isTooLong(status: number, message: string): boolean {
  return (status === 400 || status === 413 || status === 422) && TOO_LONG.test(message) && !LIMITED.test(message)
}
