// The one text of a JSON document that webhooks are signed over: keys sorted by code point, two spaces of indent, raw UTF-8,
// numbers and escapes as ECMAScript writes them, no newline at the end. These bytes are also the body that is sent, so a
// receiver that verifies the raw body never has to write JSON at all.
//
// A receiver that parses the body and writes it again gets the same bytes unless it holds one of these, which languages write
// differently: a number between 1e-9 and 1e-4 (ECMAScript says 0.00000249 and 1.49e-7 where Python's json says 2.49e-06 and
// 1.49e-07, and orjson 2.49e-6), an integer from 2^64 to 1e21 (orjson), a key with a character beyond U+FFFF beside one from
// U+E000 on (JavaScript sorts by UTF-16 unit). Scores in normalised outputs are rounded to four decimals for that reason;
// what a provider answered and what a caller handed in is signed as it is. A caller's number that a double cannot hold
// (12345678901234567890) keeps its digits.

import { ExactNumber } from './exact-numbers.ts'

const MAX_DEPTH = 64

const SURROGATE = /[\ud800-\udfff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const TO_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/

/** The value has no JSON form that all parsers read in the same way. */
export class NotJson extends Error {
  override readonly name = 'NotJson'
}

export function canonicalJson(value: unknown): string {
  refuseNotJson(value)
  return write(value, '\n')
}

/**
 * Throws for values that JSON cannot express (undefined, NaN, a Date) and for values that are nested too deeply for some
 * parsers. `depth` is the depth at which the value stands in its document: 1 for a field of a webhook.
 */
export function refuseNotJson(value: unknown, depth = 0): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') return refuseInfinite(value)
  if (typeof value !== 'object') throw new NotJson(`JSON has no ${typeof value}.`)
  if (value instanceof ExactNumber) return
  if (depth === MAX_DEPTH) throw new NotJson(`The document is nested more than ${MAX_DEPTH} levels deep.`)
  for (const member of Array.isArray(value) ? value : membersOf(value)) refuseNotJson(member, depth + 1)
}

function refuseInfinite(value: number): void {
  if (!Number.isFinite(value)) throw new NotJson('JSON has no NaN and no Infinity.')
}

function membersOf(value: object): unknown[] {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new NotJson('Only plain objects have a JSON form.')
  return Object.values(value)
}

function write(value: unknown, lineBreak: string): string {
  if (typeof value === 'string') return quote(value)
  // Numbers are written as ECMAScript does, and -0 as 0, which other languages would write differently.
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof ExactNumber) return value.source
  return Array.isArray(value) ? writeArray(value, lineBreak) : writeObject(value as Record<string, unknown>, lineBreak)
}

function writeArray(values: unknown[], lineBreak: string): string {
  const inner = `${lineBreak}  `
  const items = values.map((value) => write(value, inner))
  return items.length === 0 ? '[]' : `[${inner}${items.join(`,${inner}`)}${lineBreak}]`
}

function writeObject(object: Record<string, unknown>, lineBreak: string): string {
  const inner = `${lineBreak}  `
  const clean = withWellFormedKeys(object)
  const members = sortedKeys(clean).map((key) => `${quote(key)}: ${write(clean[key], inner)}`)
  return members.length === 0 ? '{}' : `{${inner}${members.join(`,${inner}`)}${lineBreak}}`
}

/** If two keys become equal, the last one wins, as in every parser. */
function withWellFormedKeys(object: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(object).every((key) => key.isWellFormed())) return object
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key.toWellFormed(), value]))
}

/** A lone surrogate has no UTF-8 form. U+FFFD replaces it, as everywhere. */
function quote(text: string): string {
  return TO_ESCAPE.test(text) ? JSON.stringify(text.toWellFormed()) : `"${text}"`
}

/** The native sort goes by UTF-16 unit, which gives the same order unless a key has a character beyond U+FFFF. */
function sortedKeys(object: object): string[] {
  const keys = Object.keys(object).sort()
  return keys.some((key) => SURROGATE.test(key)) ? keys.sort(byCodePoint) : keys
}

function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const difference = rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Surrogates encode characters beyond U+FFFF, so they have to be sorted after all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
