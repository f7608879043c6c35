import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { type Fields, isRecord, listOf, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { sentenceOf } from '../answer-problems.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// Servers report an error in the middle of a stream in many ways: the name of the event says it, the data is an error object
// of another format, flat or nested, or the data is plain text.

const ERROR_NAME = /error$/i
/** The fields that have the sentence of a flat error. */
const SENTENCES = ['message', 'msg', 'error_message', 'error_msg', 'errorMessage'] as const
const STATUSES = ['code', 'status', 'status_code', 'statusCode'] as const
/** An error page in the place of an event is not shown in full. */
const MAX_PLAIN_CHARS = 500

/** An error in a form that its dialect does not have. `value` is the parsed data, which is not an event of the dialect. */
export function errorEvent(event: WireEvent, value: unknown): UpstreamProblem | undefined {
  const error = errorFields(event, value)
  if (!error) return undefined
  const status = statusIn(error) ?? 500
  const code = typeof error.code === 'string' ? { code: error.code } : {}
  return new UpstreamProblem(kindOfStatus(status), sentenceOf(error.message, status), { status, ...code })
}

/** The fields of such an error, with its sentence as `message`. */
export function errorFields({ event, data }: WireEvent, value: unknown): Fields | undefined {
  const isNamed = event !== undefined && ERROR_NAME.test(event)
  if (!isNamed && !(isRecord(value) && isFlatError(value))) return undefined
  if (!isRecord(value)) return { message: data.trim().slice(0, MAX_PLAIN_CHARS) }
  const inner = isRecord(value.error) ? value.error : (recordsIn(value.errors)[0] ?? value)
  return { ...inner, message: sentenceIn(inner) ?? sentenceIn(value) ?? value.title }
}

export function statusIn(error: Fields): number | undefined {
  return STATUSES.map((field) => toNumber(error[field])).find((code) => code >= 400 && code < 600 && code % 1 === 0)
}

/** A text, or what is wrong with the first field of a list of validation errors (FastAPI). */
export function sentenceIn(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (!isRecord(body)) return undefined
  const { detail, error } = body
  const plain = [...SENTENCES.map((field) => body[field]), detail, error].find((text) => textOf(text) !== '')
  if (typeof plain === 'string') return plain
  const [first] = recordsIn(detail)
  return (
    first && [listOf(first.loc).map(textOf).filter(Boolean).join('.'), textOf(first.msg)].filter(Boolean).join(': ')
  )
}

/** An object that says itself that it is an error, or that has no type and the status of one or a sentence. */
function isFlatError(value: Fields): boolean {
  const { type, object, success, status, error, errors } = value
  if (object === 'error' || success === false || status === 'error' || status === 'failed') return true
  if (typeof type === 'string') return ERROR_NAME.test(type)
  if (statusIn(value) !== undefined) return true
  return Boolean(error) || recordsIn(errors).length > 0 || Boolean(sentenceIn(recordOf(value)))
}
