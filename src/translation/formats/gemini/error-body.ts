import { CONTEXT_OVERFLOW, googleWords } from '../../wire/context-overflow.ts'
import { type Fields, recordsIn } from '../../../base/schema/record.ts'

/** The groups of errors of this format, by status. */
const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'UNIMPLEMENTED'],
  [409, 'ABORTED'],
  [402, 'FAILED_PRECONDITION'],
  [424, 'FAILED_PRECONDITION'],
  [429, 'RESOURCE_EXHAUSTED'],
  [451, 'PERMISSION_DENIED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
  [529, 'UNAVAILABLE'],
])

const TYPES = 'type.googleapis.com/google.rpc.'
const DOMAIN = 'gatehouse'

type Reported = {
  message: string
  code?: string | null | undefined
  param?: string | null | undefined
  detail?: unknown
  retryAfterSeconds?: number | undefined
}

/** The error in the shape of this format, with all details of ours. */
export function errorBody(status: number, { message, code, param, detail, retryAfterSeconds }: Reported) {
  const violations = recordsIn(detail).map(violation)
  const details = [
    { '@type': `${TYPES}ErrorInfo`, reason: reasonOf(code), domain: DOMAIN, ...(param && { metadata: { param } }) },
    ...(violations.length > 0 ? [{ '@type': `${TYPES}BadRequest`, fieldViolations: violations }] : []),
    ...(retryAfterSeconds === undefined ? [] : [{ '@type': `${TYPES}RetryInfo`, retryDelay: `${retryAfterSeconds}s` }]),
  ]
  const text = code === CONTEXT_OVERFLOW ? googleWords(message) : message
  return { error: { code: status, message: text, status: wordOf(status), details } }
}

function wordOf(status: number): string {
  return BY_STATUS.get(status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}

/** Clients of this format look for this reason, and take a 401 without it for something that passes. */
function reasonOf(code: string | null | undefined): string {
  if (code === 'invalid_api_key') return 'API_KEY_INVALID'
  return (code ?? 'error').toUpperCase()
}

function violation({ loc, msg }: Fields): Fields {
  const steps = Array.isArray(loc) ? loc.slice(1) : []
  return { field: steps.join('.'), description: msg }
}
