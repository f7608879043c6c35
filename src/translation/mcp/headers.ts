import { Buffer } from 'node:buffer'
import type { Fields } from '../../base/schema/record.ts'
import { headerMismatch } from './errors.ts'

// Since 2026-07-28 headers repeat what proxies want to know of a request. They have to be what the body says, or else a
// proxy would decide about another request than the server.

export const VERSION_HEADER = 'mcp-protocol-version'
const METHOD_HEADER = 'mcp-method'
const NAME_HEADER = 'mcp-name'
export const SESSION_HEADER = 'mcp-session-id'

/** The member of the parameters that `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

type Call = { method: string; params: Fields }
type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The headers with which a client sends a request or a notification. */
export function callHeaders(version: string, { method, params }: Call): Record<string, string> {
  const name = nameIn({ method, params })
  return {
    [VERSION_HEADER]: version,
    [METHOD_HEADER]: method,
    ...(name !== undefined && { [NAME_HEADER]: headerValue(name) }),
  }
}

/** Throws if a header of a request of the newest revision is missing or says something else than its body. */
export function checkHeaders(headers: Headers, version: string, call: Call): void {
  compare(VERSION_HEADER, headers, version)
  compare(METHOD_HEADER, headers, call.method)
  const name = nameIn(call)
  if (name !== undefined) compare(NAME_HEADER, headers, name, decodedValue)
  else if (headers[NAME_HEADER] !== undefined) throw headerMismatch('Mcp-Name names something that the body does not.')
}

function nameIn({ method, params }: Call): string | undefined {
  const member = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined
  const name = member === undefined ? undefined : params[member]
  return typeof name === 'string' ? name : undefined
}

function compare(
  header: string,
  headers: Headers,
  expected: string,
  read: (value: string) => string | undefined = (value) => value,
): void {
  const value = headers[header]
  if (typeof value !== 'string') throw headerMismatch(`The header ${header} is missing, or there are several.`)
  if (!isPlain(value) || read(value) !== expected)
    throw headerMismatch(`The header ${header} does not have the value that the body has.`)
}

const PLAIN = /^[\t\x20-\x7e]*$/
const ENCODED = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function isPlain(value: string): boolean {
  return PLAIN.test(value)
}

/** A value as a header may have it: other than plain ASCII is encoded, and so is what looks like something encoded. */
export function headerValue(value: string): string {
  if (isPlain(value) && value === value.trim() && !ENCODED.test(value)) return value
  return `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** The value of a header, decoded; undefined if it looks encoded and is not. */
export function decodedValue(header: string): string | undefined {
  const encoded = ENCODED.exec(header)?.[1]
  if (encoded === undefined) return header
  if (!BASE64.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}
