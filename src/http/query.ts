import { IsUuid } from 'typebox/format'
import {
  notAmong,
  stringTooLong,
  tooLarge,
  tooSmall,
  uuidParsing,
  valueError,
  wrongType,
} from '../schema/issue-messages.ts'
import Type from '../schema/type.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import { validationProblem } from './problems.ts'

// Query strings are text. Errors in them use the same words as errors in bodies.

const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 1_000
export const MAX_PAGE = 1_000_000
const MAX_ID_CHARS = 100
/** The parameter that readPage reads. */
export const PAGE = Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1, description: 'Which page.' })
/** Date.parse alone also accepts "hello 2026", and years that no report can print. */
const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/
/** The end of the year 9999. */
const LATEST_TIME = 253_402_300_799_999

export function readLimit(text: string | undefined): number {
  return readCount('limit', text, DEFAULT_LIMIT, MAX_LIMIT)
}

export function readPage(text: string | undefined): number {
  return readCount('page', text, 1, MAX_PAGE)
}

/** ISO 8601, or milliseconds since 1970. */
export function readTime(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const at = /^\d{1,15}$/.test(text) ? Number(text) : ISO_8601.test(text) ? Date.parse(text) : Number.NaN
  if (at <= LATEST_TIME) return at
  const sentence = 'Input should be a valid date, such as 2026-11-15 or 2026-11-15T08:00:00Z'
  throw refused(valueError(placeOf(name), sentence))
}

export function readWord<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
  fallback: Word,
): Word {
  if (text === undefined) return fallback
  if (words.includes(text as Word)) return text as Word
  throw refused(notAmong(placeOf(name), words))
}

export function readText(name: string, text: unknown, max: number): string | undefined {
  if (text === undefined) return undefined
  // A repeated parameter arrives as a list.
  if (typeof text !== 'string') throw refused(wrongType(placeOf(name), 'string'))
  if (Array.from(text).length <= max) return text
  throw refused(stringTooLong(placeOf(name), max))
}

export function readUuid(name: string, text: unknown): string | undefined {
  const id = readText(name, text, MAX_ID_CHARS)
  if (id === undefined || IsUuid(id)) return id
  throw refused(uuidParsing(placeOf(name)))
}

/** Accepts whole numbers from 1. */
export function readCount(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback
  const count = Number(text)
  if (text === '' || !Number.isInteger(count)) throw refused(wrongType(placeOf(name), 'integer'))
  if (count < 1) throw refused(tooSmall(placeOf(name), 1))
  if (count > max) throw refused(tooLarge(placeOf(name), max))
  return count
}

function placeOf(name: string): ValidationIssue['loc'] {
  return ['query', name]
}

function refused(issue: ValidationIssue) {
  return validationProblem([issue])
}
