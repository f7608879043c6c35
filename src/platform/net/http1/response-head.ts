import { WireFailure, type WireResponse } from '../../../translation/wire/wire.ts'

// As strict as the standard allows: ambiguous answers are refused. If two programs disagree about where an answer ends, one
// caller's answer can leak into another's.

/** How the end of the body is found: by its length, by its last chunk, or by the end of the connection. */
type Framing = number | 'chunked' | 'until the end'

export type ResponseHead = {
  status: number
  headers: WireResponse['headers']
  framing: Framing
  /** Whether the connection may be used again. */
  keepsAlive: boolean
  /** How long the server says that it will keep the connection open, in milliseconds. */
  keepsForMs: number | undefined
}

const BEGINNING = 'HTTP/1.'
const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: |\r|$)/
const STATUS_AT = 'HTTP/1.1 '.length
const STATUS_DIGITS = 3
/** An incomplete line break, or a character that a header must not contain. */
const MISPLACED = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
const LENGTH = /^\d{1,15}$/
const CR = 13
const SPACE = 32
const TAB = 9
const MAX_NAMES = 1_000

/** Parses the lines before the empty one. */
export function readHead(text: string): ResponseHead {
  if (MISPLACED.test(text) || !STATUS_LINE.test(text)) throw new WireFailure('protocol')
  const status = Number(text.slice(STATUS_AT, STATUS_AT + STATUS_DIGITS))
  const headers = readHeaders(text, lineEnd(text, STATUS_AT) + 2)
  const framing = framingOf(status, headers)
  const isCertain = framing !== 'until the end' && !promisesMore(status, headers)
  const keepsAlive = isCertain && staysOpen(headers, text[BEGINNING.length] === '1')
  return { status, headers, framing, keepsAlive, keepsForMs: hintIn(headers['keep-alive']) }
}

/**
 * Refuses an incomplete head that can no longer become a valid one. Bytes that were `seen` before are not checked again,
 * except for a CR at their end, which had to wait for its LF.
 */
export function refuseHopeless(begun: Buffer, seen: number): void {
  const start = begun.toString('latin1', 0, seen < BEGINNING.length ? BEGINNING.length : 0)
  const from = begun[seen - 1] === CR ? seen - 1 : seen
  const end = begun[begun.length - 1] === CR ? begun.length - 1 : begun.length
  if (!BEGINNING.startsWith(start) || MISPLACED.test(begun.toString('latin1', from, end)))
    throw new WireFailure('protocol')
}

function readHeaders(text: string, start: number): WireResponse['headers'] {
  const headers: WireResponse['headers'] = {}
  for (let at = start; at < text.length; ) {
    const end = lineEnd(text, at)
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon > end) throw new WireFailure('protocol')
    add(headers, nameOf(text.slice(at, colon)), trimmed(text, colon + 1, end))
    at = end + 2
  }
  return headers
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\r\n', from)
  return end < 0 ? text.length : end
}

/** `trim` removes more kinds of space than the standard allows: a length with such a space is invalid. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

function add(headers: WireResponse['headers'], name: string, value: string): void {
  const existing = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (existing === undefined) headers[name] = value
  else if (typeof existing === 'string') headers[name] = [existing, value]
  else existing.push(value)
}

const names = new Map<string, string>()

/** The same few names come with every answer, so each is normalized once. `__proto__` must not become a property. */
function nameOf(written: string): string {
  const cached = names.get(written)
  if (cached) return cached
  const name = written.toLowerCase()
  if (!TOKEN.test(name) || name === '__proto__') throw new WireFailure('protocol')
  if (names.size >= MAX_NAMES) names.clear()
  // A slice of the head would keep the whole head in memory.
  names.set(Buffer.from(written, 'latin1').toString('latin1'), name)
  return name
}

function framingOf(status: number, headers: WireResponse['headers']): Framing {
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  // An interim response has no body (RFC 9110, 8.6; RFC 9112, 6.1), but a server that announces one may send it.
  const isEarly = status < 200 && (coding !== undefined || length !== undefined)
  if (isEarly || (coding !== undefined && length !== undefined)) throw new WireFailure('protocol')
  const framing = coding === undefined ? lengthIn(length) : chunkedOnly(coding)
  return status < 200 || status === 204 || status === 304 ? 0 : framing
}

/**
 * An answer without a body that announces one although the standard does not allow it. It ends with its head, but the
 * announced body may follow. A 304 may state the length of what it did not send.
 */
function promisesMore(status: number, headers: WireResponse['headers']): boolean {
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = headers
  if (status === 304) return coding !== undefined
  return status === 204 && (coding !== undefined || Number(length) > 0)
}

function lengthIn(length: string | string[] | undefined): Framing {
  if (length === undefined) return 'until the end'
  // A repeated header, even with equal values, is a list.
  if (typeof length !== 'string' || !LENGTH.test(length)) throw new WireFailure('protocol')
  return Number(length)
}

function chunkedOnly(coding: string | string[]): Framing {
  if (typeof coding === 'string' && coding.toLowerCase() === 'chunked') return 'chunked'
  throw new WireFailure('protocol')
}

/** HTTP/1.0 has no chunked coding, so a server that uses it anyway may end it elsewhere. */
function staysOpen({ connection, 'transfer-encoding': coding }: WireResponse['headers'], isCurrent: boolean): boolean {
  if (connection === undefined) return isCurrent
  const words = String(connection).toLowerCase()
  return !words.includes('close') && (isCurrent || (coding === undefined && words.includes('keep-alive')))
}

function hintIn(keepAlive: string | string[] | undefined): number | undefined {
  const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,6})/i.exec(String(keepAlive))?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}
