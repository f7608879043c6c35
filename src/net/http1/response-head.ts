import { WireFailure, type WireResponse } from '../../contract/wire.ts'

// As strict as the standard allows: what could be read in two ways is refused, because the end of an answer that two
// programs see in two places lets one caller's answer slip into another's.

/** How the end of the body is known: by its length, by its last chunk, or by the end of the connection. */
export type Framing = number | 'chunked' | 'until the end'

export type ResponseHead = {
  status: number
  headers: WireResponse['headers']
  framing: Framing
  /** Whether the connection may be used again. */
  keepsAlive: boolean
  /** How long the other side says that it will keep it, in milliseconds. */
  keepsForMs: number | undefined
}

const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: |\r|$)/
const MINOR_AT = 'HTTP/1.'.length
const STATUS_AT = 'HTTP/1.1 '.length
const STATUS_DIGITS = 3
/** A line break that is none, or a character that no header may hold. */
const MISPLACED = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
const LENGTH = /^\d{1,15}$/
const MAX_NAMES = 1_000

/** The lines before the empty one. */
export function readHead(text: string): ResponseHead {
  if (MISPLACED.test(text) || !STATUS_LINE.test(text)) throw new WireFailure('protocol')
  const status = Number(text.slice(STATUS_AT, STATUS_AT + STATUS_DIGITS))
  const headers = readHeaders(text, lineEnd(text, STATUS_AT) + 2)
  const framing = framingOf(status, headers)
  const keepsAlive = framing !== 'until the end' && staysOpen(headers.connection, text[MINOR_AT] === '1')
  return { status, headers, framing, keepsAlive, keepsForMs: hintIn(headers['keep-alive']) }
}

function readHeaders(text: string, start: number): WireResponse['headers'] {
  const headers: WireResponse['headers'] = {}
  for (let at = start; at < text.length; ) {
    const end = lineEnd(text, at)
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon > end) throw new WireFailure('protocol')
    add(headers, nameOf(text.slice(at, colon)), text.slice(colon + 1, end).trim())
    at = end + 2
  }
  return headers
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\r\n', from)
  return end < 0 ? text.length : end
}

function add(headers: WireResponse['headers'], name: string, value: string): void {
  const known = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (known === undefined) headers[name] = value
  else headers[name] = typeof known === 'string' ? [known, value] : [...known, value]
}

const names = new Map<string, string>()

/** The same few names come with every answer: each is looked at once. `__proto__` would be no field but a trap. */
function nameOf(written: string): string {
  const known = names.get(written)
  if (known) return known
  if (!TOKEN.test(written) || written === '__proto__') throw new WireFailure('protocol')
  if (names.size >= MAX_NAMES) names.clear()
  names.set(written, written.toLowerCase())
  return written.toLowerCase()
}

function framingOf(status: number, headers: WireResponse['headers']): Framing {
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  if (coding !== undefined && length !== undefined) throw new WireFailure('protocol')
  if (status < 200 || status === 204 || status === 304) return 0
  if (coding !== undefined) return chunkedOnly(coding)
  if (length === undefined) return 'until the end'
  // Given twice, even twice the same, it is a list.
  if (typeof length !== 'string' || !LENGTH.test(length)) throw new WireFailure('protocol')
  return Number(length)
}

function chunkedOnly(coding: string | string[]): Framing {
  if (typeof coding === 'string' && coding.toLowerCase() === 'chunked') return 'chunked'
  throw new WireFailure('protocol')
}

function staysOpen(connection: string | string[] | undefined, isCurrent: boolean): boolean {
  if (connection === undefined) return isCurrent
  const words = String(connection).toLowerCase()
  return isCurrent ? !words.includes('close') : words.includes('keep-alive')
}

function hintIn(keepAlive: string | string[] | undefined): number | undefined {
  const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,6})/i.exec(String(keepAlive))?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}
