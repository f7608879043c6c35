import { type Fields, isRecord, recordOf } from '../../base/schema/record.ts'
import { invalidRequest, type RpcError } from './errors.ts'

// The messages of JSON-RPC 2.0, as the protocol uses them: ids are never null.

export type RpcId = string | number

export type RpcRequest = { kind: 'request'; id: RpcId; method: string; params: Fields }
type RpcNotification = { kind: 'notification'; method: string; params: Fields }
/** The answer to a request. An error whose request could not be read has no id. */
export type RpcResponse =
  | { kind: 'response'; id: RpcId; result: Fields }
  | { kind: 'response'; id: RpcId | undefined; error: RpcError }

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

/** No client numbers its requests with longer texts, and the answer repeats the id. */
const MAX_ID_CHARS = 256
const MAX_METHOD_CHARS = 128

/** Reads a parsed message, or throws the problem that it has. */
export function readMessage(value: unknown): RpcMessage {
  if (!isRecord(value)) throw invalidRequest('A message is a JSON object.')
  if (value.jsonrpc !== '2.0') throw invalidRequest('The member "jsonrpc" has to be "2.0".')
  if ('method' in value) return readCall(value)
  if ('result' in value || 'error' in value) return readResponse(value)
  throw invalidRequest('A message has a "method", a "result" or an "error".')
}

function readCall({ id, method, params }: Fields): RpcRequest | RpcNotification {
  if (typeof method !== 'string' || method === '' || method.length > MAX_METHOD_CHARS)
    throw invalidRequest(`The method is a text of 1 to ${MAX_METHOD_CHARS} characters.`)
  if (params !== undefined && !isRecord(params)) throw invalidRequest('The member "params" has to be an object.')
  const named = { method, params: recordOf(params) }
  if (id === undefined) return { kind: 'notification', ...named }
  if (!isId(id)) throw invalidRequest('The id is a whole number or a text of at most 256 characters.')
  return { kind: 'request', id, ...named }
}

function readResponse({ id, result, error }: Fields): RpcResponse {
  if (isRecord(error)) return { kind: 'response', id: isId(id) ? id : undefined, error: readError(error) }
  if (!isId(id)) throw invalidRequest('A response has the id of its request.')
  if (!isRecord(result)) throw invalidRequest('The member "result" has to be an object.')
  return { kind: 'response', id, result }
}

function readError({ code, message, data }: Fields): RpcError {
  if (!Number.isInteger(code)) throw invalidRequest('The code of an error is a whole number.')
  const error = { code: Number(code), message: typeof message === 'string' ? message : '' }
  return data === undefined ? error : { ...error, data }
}

function isId(value: unknown): value is RpcId {
  return (typeof value === 'string' && value.length <= MAX_ID_CHARS) || Number.isSafeInteger(value)
}

/** The id of a message that may be malformed, so that its error finds the request. */
export function idOf(value: unknown): RpcId | undefined {
  const { id } = recordOf(value)
  return isId(id) ? id : undefined
}

export function requestMessage(id: RpcId, method: string, params: object = {}) {
  return { jsonrpc: '2.0' as const, id, method, params }
}

export function notificationMessage(method: string, params: object = {}) {
  return { jsonrpc: '2.0' as const, method, params }
}

export function resultMessage(id: RpcId, result: object) {
  return { jsonrpc: '2.0' as const, id, result }
}

export function errorMessage(id: RpcId | undefined, error: RpcError) {
  return { jsonrpc: '2.0' as const, ...(id !== undefined && { id }), error }
}
