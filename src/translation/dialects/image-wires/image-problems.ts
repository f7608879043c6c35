import { tryParse } from '../../json/try-parse.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toText } from '../../../base/schema/to-primitive.ts'
import { kindOfStatus, type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { sentenceOf } from '../answer-problems.ts'
import { problem } from '../openai/problem.ts'

const UNSAFE = /content_policy|moderat|nsfw|safety (check|system|filter)|sensitive (content|information)|flagged/i

/** Whether the provider refused because of the content of the image. */
export function isUnsafe(reason: string): boolean {
  return UNSAFE.test(reason)
}

/** For providers with OpenAI's error format that mark a content refusal only by its wording. */
export function reportedProblem(status: number, text: string): UpstreamProblem {
  const found = problem(status, text)
  const { kind, message, code = '', param } = found
  if (kind !== 'bad_request' || !isUnsafe(`${code} ${message}`)) return found
  return new UpstreamProblem('content_policy', message, { status, ...(code && { code }), ...(param && { param }) })
}

/**
 * For providers whose services are written in Python: `{detail: "…"}` or `{detail: [{loc, msg, type}]}`. The text may also be
 * under `error`, or at the top level.
 */
export function detailProblem(status: number, text: string): UpstreamProblem {
  const { message, code, param } = detailsIn(tryParse(text))
  const sentence = sentenceOf(message, status)
  const more = { status, ...(code && { code }), ...(param && { param }) }
  return new UpstreamProblem(kindOf(status, `${code} ${sentence}`), sentence, more)
}

function kindOf(status: number, message: string): ProblemKind {
  const kind = kindOfStatus(status)
  const isAboutTheCall = kind === 'bad_request' || status === 403
  return isAboutTheCall && isUnsafe(message) ? 'content_policy' : kind
}

type ErrorDetails = { message: string; code?: string; param?: string }

function detailsIn(value: unknown): ErrorDetails {
  const body = recordOf(value)
  const inner = body.detail ?? body.error ?? body.message ?? body.title
  if (isRecord(inner)) return { message: messageOf(inner), code: textOf(inner.code) || textOf(inner.type) }
  const [first] = recordsIn(inner)
  if (!first) return { message: textOf(inner), code: textOf(body.code) || textOf(body.error_type) }
  const path = Array.isArray(first.loc)
    ? first.loc
        .filter((step) => step !== 'body')
        .map(toText)
        .join('.')
    : ''
  const message = path ? `${path}: ${messageOf(first)}` : messageOf(first)
  return { message, code: textOf(first.type), param: path }
}

function messageOf({ msg, message, error, detail }: Fields): string {
  return textOf(msg) || textOf(message) || textOf(error) || textOf(detail)
}
