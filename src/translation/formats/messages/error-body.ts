import { anthropicWords, CONTEXT_OVERFLOW } from '../../wire/context-overflow.ts'

/** The error types of this format, by status. */
const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [405, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [451, 'permission_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

export function errorFamily(status: number): string {
  return BY_STATUS.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

type ReportedError = { message: string; code?: string | null | undefined; param?: string | null | undefined }

/** The error in the shape of this format, with all details of ours. */
export function errorBody(status: number, { message, code = null, param = null }: ReportedError, requestId: string) {
  const text = code === CONTEXT_OVERFLOW ? anthropicWords(message) : message
  const error = { message: text, type: errorFamily(status), code, param }
  return { type: 'error' as const, error, request_id: requestId }
}
