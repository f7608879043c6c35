import { valueError } from '../../base/schema/issue-messages.ts'
import { problem } from '../../contract/problems.ts'
import { isOddNumber } from './number-spelling.ts'

// The body of a request is scanned as text before it is parsed: a depth or size bomb never reaches JSON.parse, and the
// positions of the top-level members allow changing a body without serialising it again, which would cost 1.4 times as much.

const MAX_DEPTH = 64
const MAX_VALUES = 200_000
/** Objects whose keys are all different are the slowest input for JSON.parse and the checks after it: 2 µs per key. */
const MAX_KEYS = 50_000
/** A text with more strings than keys and values is not JSON, and scanning millions of strings would block the event loop. */
export const MAX_STRINGS = MAX_VALUES + MAX_KEYS

/** One top-level member: `start`–`end` is the whole `"key": value`, `valueStart`–`end` the value alone. */
type Member = { key: string; start: number; valueStart: number; end: number }

export type Outline = {
  members: Member[]
  /** Members with a number that JSON.stringify would write otherwise, at any depth. */
  odd: ReadonlySet<Member>
  /** The number of keys at all depths, repeated ones included. */
  keys: number
  /** The approximate number of values: each takes memory, however short it is. */
  values: number
}

/** No real request has more. Many checks look at each member: it may choose a model, a payer or a region, or look like a field that does. */
const MAX_MEMBERS = 1_000
/** Escapes that are closer to each other are dense. */
const DENSE_CHARS = 8
const MAX_PLAIN_DIGITS = 12
const STRUCTURE = /["[\]{},:]/g

const SPACE = 32
const QUOTE = 34
const COMMA = 44
const ZERO = 48
const NINE = 57
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Checks nothing: the outline of a text that is not JSON is meaningless, and JSON.parse reports such a text. */
export function outline(text: string): Outline {
  const top = new TopMembers(text)
  let depth = 0
  let values = 0
  let keys = 0
  let strings = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        if (++strings > MAX_STRINGS) throw tooComplex(`JSON with more than ${MAX_STRINGS} strings`)
        const end = closingQuote(text, at + 1)
        if (depth === 1) top.string(at, end)
        at = end
        break
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > MAX_DEPTH) throw tooComplex(`JSON nested deeper than ${MAX_DEPTH} levels`)
        if (++values > MAX_VALUES) throw tooComplex(`JSON with more than ${MAX_VALUES} values`)
        break
      case COLON:
        if (++keys > MAX_KEYS) throw tooComplex(`JSON with more than ${MAX_KEYS} keys`)
        if (depth === 1) top.colon(at)
        break
      case COMMA:
        if (++values > MAX_VALUES) throw tooComplex(`JSON with more than ${MAX_VALUES} values`)
        if (depth === 1) top.close(at)
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth-- === 1) top.close(at)
        // This is not JSON. JSON.parse stops here at the latest.
        if (depth < 0) return { members: top.members, odd: top.odd, keys, values }
        break
      default: {
        const start = afterBlanks(text, at)
        const digits = endOfDigits(text, start)
        const end = endsValue(text.charCodeAt(digits)) ? digits : nextStructure(text, digits)
        if (end > digits && isOddNumber(text, start)) top.number()
        at = end - 1
      }
    }
  }
  return { members: top.members, odd: top.odd, keys, values: values + keys }
}

/** Collects the top-level members while the text is scanned. */
class TopMembers {
  readonly members: Member[] = []
  readonly odd = new Set<Member>()
  readonly #text: string
  #keyStart = -1
  #keyEnd = -1
  #valueStart = -1
  #isOdd = false

  constructor(text: string) {
    this.#text = text
  }

  string(start: number, end: number): void {
    if (this.#keyStart >= 0) return
    this.#keyStart = start
    this.#keyEnd = end
  }

  colon(at: number): void {
    if (this.#valueStart < 0) this.#valueStart = at + 1
  }

  /** An odd number, at any depth. */
  number(): void {
    this.#isOdd = true
  }

  close(end: number): void {
    if (this.#keyStart >= 0 && this.#valueStart >= 0) this.#add(end)
    this.#keyStart = this.#keyEnd = this.#valueStart = -1
    this.#isOdd = false
  }

  #add(end: number): void {
    if (this.members.length === MAX_MEMBERS)
      throw tooComplex(`JSON with more than ${MAX_MEMBERS} members at the top level`)
    const key = readKey(this.#text, this.#keyStart, this.#keyEnd)
    const member = { key, start: this.#keyStart, valueStart: this.#valueStart, end }
    this.members.push(member)
    if (this.#isOdd) this.odd.add(member)
  }
}

/** Other control characters than blanks are not JSON, which JSON.parse reports. */
function afterBlanks(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

/** The end of a few digits: short whole numbers are the most common ones, and never odd. */
function endOfDigits(text: string, from: number): number {
  let at = from
  while (at < from + MAX_PLAIN_DIGITS && isDigit(text.charCodeAt(at))) at++
  return at
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

function endsValue(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE
}

/** Skips the rest of a long number with a native search: megabytes of digits, character by character, would block the event loop. */
function nextStructure(text: string, from: number): number {
  STRUCTURE.lastIndex = from
  return STRUCTURE.test(text) ? STRUCTURE.lastIndex - 1 : text.length
}

/**
 * Searches natively from quote to quote, which is five times as fast as reading a text character by character. Where escapes are
 * dense, it is five times as slow, so the characters between them are read one by one.
 */
function closingQuote(text: string, from: number): number {
  let escapedAt = from
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    if (backslashesBefore(text, quote, at) % 2 === 0) return quote
    const isDense = quote - escapedAt < DENSE_CHARS
    escapedAt = quote
    at = quote + 1
    for (let end = isDense ? at + DENSE_CHARS : at; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) return at
      if (code !== BACKSLASH) continue
      escapedAt = ++at
      end = at + DENSE_CHARS
    }
  }
}

function backslashesBefore(text: string, quote: number, from: number): number {
  let at = quote - 1
  while (at >= from && text.charCodeAt(at) === BACKSLASH) at--
  return quote - 1 - at
}

/** Decodes escapes: `"mod\u0065l"` is the key `model`. */
function readKey(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end)
  if (!plain.includes('\\')) return plain
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    return plain
  }
}

function tooComplex(what: string) {
  return problem('too_large', {
    message: `${what} is not accepted. Send less in one request.`,
    detail: [valueError(['body'], what)],
  })
}
