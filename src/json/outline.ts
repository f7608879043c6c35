import { valueError } from '../schema/issue-messages.ts'
import { problem } from '../contract/problems.ts'

// A caller's body is looked over as text before it is parsed: a depth or size bomb never reaches JSON.parse, and the
// places of the top-level members let a body be changed without being written anew (re-serialising costs 1.4 x).

const MAX_DEPTH = 64
const MAX_VALUES = 200_000
/** Objects with ever new keys are what JSON.parse and the checks after it are slowest with: 2 µs for each key. */
const MAX_KEYS = 50_000
/** More than keys and values together is no JSON, and looking at millions of them would hold the loop up. */
export const MAX_STRINGS = MAX_VALUES + MAX_KEYS

/** One top-level member: `start`–`end` is the whole `"key": value`, `valueStart`–`end` the value alone. */
export type Member = { key: string; start: number; valueStart: number; end: number }

export type Outline = {
  members: Member[]
  /** Keys at all depths, as they stand in the text. */
  keys: number
  /** How many values there are, about: each takes memory, however short it is. */
  values: number
}

/** Nobody means more. Each of them is looked at by many: it may choose a model, a payer or a place, or be spelled like one that does. */
export const MAX_MEMBERS = 1_000
const WALKED_CHARS = 64
const STRUCTURE = /["[\]{},:]/g

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Trusts nothing: on a text that is not JSON the outline means nothing, and JSON.parse is the one to say so. */
export function outline(text: string): Outline {
  const members: Member[] = []
  let depth = 0
  let values = 0
  let keys = 0
  let strings = 0
  let keyStart = -1
  let keyEnd = -1
  let valueStart = -1

  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        if (++strings > MAX_STRINGS) throw tooComplex(`JSON with more than ${MAX_STRINGS} strings`)
        const end = closingQuote(text, at + 1)
        if (depth === 1 && keyStart < 0) {
          keyStart = at
          keyEnd = end
        }
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
        if (depth === 1 && valueStart < 0) valueStart = at + 1
        break
      case COMMA:
        if (++values > MAX_VALUES) throw tooComplex(`JSON with more than ${MAX_VALUES} values`)
        if (depth === 1) closeMember(at)
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth-- === 1) closeMember(at)
        // No JSON: JSON.parse need not go far to say so, and neither do we.
        if (depth < 0) return { members, keys, values }
        break
      default:
        at = nextStructure(text, at) - 1
    }
  }
  return { members, keys, values: values + keys }

  function closeMember(end: number) {
    if (keyStart >= 0 && valueStart >= 0) {
      if (members.length === MAX_MEMBERS) throw tooComplex(`JSON with more than ${MAX_MEMBERS} members at its top`)
      members.push({ key: readKey(text, keyStart, keyEnd), start: keyStart, valueStart, end })
    }
    keyStart = keyEnd = valueStart = -1
  }
}

/** Blanks and digits are jumped over natively: character by character, megabytes of them would hold the loop up. */
function nextStructure(text: string, from: number): number {
  STRUCTURE.lastIndex = from
  return STRUCTURE.test(text) ? STRUCTURE.lastIndex - 1 : text.length
}

/**
 * Jumps natively from quote to quote. Where one is escaped, others are likely near: the next few characters are walked,
 * because a jump for each escape would take ten times as long.
 */
function closingQuote(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    if (backslashesBefore(text, quote, at) % 2 === 0) return quote
    at = quote + 1
    for (const end = at + WALKED_CHARS; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) return at
      if (code === BACKSLASH) at++
    }
  }
}

function backslashesBefore(text: string, quote: number, from: number): number {
  let at = quote - 1
  while (at >= from && text.charCodeAt(at) === BACKSLASH) at--
  return quote - 1 - at
}

/** `"mod\u0065l"` is the key `model` too. */
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
