// The vocabulary of a validation error's `detail`: one function per message, so that the same issue has the same wording
// everywhere.
import type { ValidationIssue } from './validation-issue.ts'

export type Loc = (string | number)[]

/** An error repeats at most this much of the caller's input. */
const MAX_LITERALS_SHOWN = 10
const MAX_CHARS_SHOWN = 100

const TYPE_WORDS = {
  string: ['string_type', 'a valid string'],
  integer: ['int_type', 'a valid integer'],
  number: ['float_type', 'a valid number'],
  boolean: ['bool_type', 'a valid boolean'],
  array: ['list_type', 'a valid list'],
  object: ['dict_type', 'a valid dictionary'],
  null: ['value_error', 'null'],
} as const

export type TypeName = keyof typeof TYPE_WORDS

export function missing(loc: Loc): ValidationIssue {
  return { loc, msg: 'Field required', type: 'missing' }
}

export function wrongType(loc: Loc, expected: TypeName): ValidationIssue {
  const [type, noun] = TYPE_WORDS[expected]
  return { loc, msg: `Input should be ${noun}`, type }
}

export function fractional(loc: Loc): ValidationIssue {
  return { loc, msg: 'Input should be a valid integer, got a number with a fractional part', type: 'int_from_float' }
}

export function tooSmall(loc: Loc, minimum: number): ValidationIssue {
  return { loc, msg: `Input should be greater than or equal to ${minimum}`, type: 'greater_than_equal' }
}

export function tooLarge(loc: Loc, maximum: number): ValidationIssue {
  return { loc, msg: `Input should be less than or equal to ${maximum}`, type: 'less_than_equal' }
}

export function notAmong(loc: Loc, literals: readonly unknown[]): ValidationIssue {
  return { loc, msg: `Input should be ${alternatives(literals)}`, type: 'literal_error' }
}

/** For literals that a caller chose: there may be many of them, of any length. */
export function notAmongAllowed(loc: Loc, literals: readonly unknown[]): ValidationIssue {
  const reported = literals.slice(0, MAX_LITERALS_SHOWN).map(shortLiteral)
  const others = literals.length - reported.length
  const msg = `Input should be ${others > 0 ? `${reported.join(', ')} or one of ${others} others` : joined(reported, 'or')}`
  return { loc, msg, type: 'literal_error' }
}

export function stringTooShort(loc: Loc, minimum: number): ValidationIssue {
  return { loc, msg: `String should have at least ${count(minimum, 'character')}`, type: 'string_too_short' }
}

export function stringTooLong(loc: Loc, maximum: number): ValidationIssue {
  return { loc, msg: `String should have at most ${count(maximum, 'character')}`, type: 'string_too_long' }
}

export function listTooShort(loc: Loc, minimum: number, actual: number): ValidationIssue {
  const msg = `List should have at least ${count(minimum, 'item')} after validation, not ${actual}`
  return { loc, msg, type: 'too_short' }
}

export function listTooLong(loc: Loc, maximum: number, actual: number): ValidationIssue {
  const msg = `List should have at most ${count(maximum, 'item')} after validation, not ${actual}`
  return { loc, msg, type: 'too_long' }
}

export function extra(loc: Loc): ValidationIssue {
  return { loc, msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }
}

export function valueError(loc: Loc, sentence: string): ValidationIssue {
  return { loc, msg: sentence, type: 'value_error' }
}

export function urlParsing(loc: Loc, sentence: string): ValidationIssue {
  return { loc, msg: sentence, type: 'url_parsing' }
}

export function uuidParsing(loc: Loc): ValidationIssue {
  return { loc, msg: 'Input should be a valid UUID', type: 'uuid_parsing' }
}

export function jsonInvalid(loc: Loc): ValidationIssue {
  return { loc, msg: 'JSON decode error', type: 'json_invalid' }
}

/** `'low', 'medium' or 'high'` */
export function alternatives(literals: readonly unknown[], conjunction: 'or' | 'and' = 'or'): string {
  const quoted = literals.map((literal) => (typeof literal === 'string' ? `'${literal}'` : JSON.stringify(literal)))
  return joined(quoted, conjunction)
}

/** Shortens a text of a caller or a provider to a printable length. */
export function clipped(text: string): string {
  return text.length <= MAX_CHARS_SHOWN ? text : `${text.slice(0, MAX_CHARS_SHOWN)}…`
}

/** Objects and lists are described, because they may be of any size. */
function shortLiteral(literal: unknown): string {
  if (typeof literal === 'string') return `'${clipped(literal)}'`
  if (typeof literal !== 'object' || literal === null) return JSON.stringify(literal)
  return Array.isArray(literal) ? 'a list of the schema' : 'an object of the schema'
}

function joined(quoted: string[], conjunction: 'or' | 'and'): string {
  const last = quoted.at(-1)
  return quoted.length < 2 ? `${last}` : `${quoted.slice(0, -1).join(', ')} ${conjunction} ${last}`
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
