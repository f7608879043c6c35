import { validationProblem } from './problems.ts'

// Query strings are text; what they should be is said in the same words as for bodies.

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_PAGE = 1_000_000
/** Date.parse alone also takes "hello 2026", and years that no report can print. */
const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/

export function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw refused('limit', `Input should be a whole number from 1 to ${MAX_LIMIT}`)
}

/** ISO 8601, or milliseconds since 1970. */
export function readTime(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const at = /^\d{1,15}$/.test(text) ? Number(text) : ISO_8601.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(at)) return at
  throw refused(name, 'Input should be a valid date, such as 2026-11-15 or 2026-11-15T08:00:00Z')
}

export function readWord<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
  fallback: Word,
): Word {
  if (text === undefined) return fallback
  if (words.includes(text as Word)) return text as Word
  throw refused(name, `Input should be ${words.map((word) => `'${word}'`).join(', ')}`)
}

function refused(name: string, msg: string) {
  return validationProblem([{ loc: ['query', name], msg, type: 'value_error' }])
}

export function readPage(text: string | undefined): number {
  if (text === undefined) return 1
  const page = Number(text)
  if (Number.isInteger(page) && page >= 1 && page <= MAX_PAGE) return page
  throw refused('page', 'Input should be a whole number, from 1')
}

export function readText(name: string, text: unknown, most: number): string | undefined {
  if (text === undefined) return undefined
  // A parameter that stands twice comes as a list.
  if (typeof text !== 'string') throw refused(name, 'Input should be a valid string')
  if (Array.from(text).length <= most) return text
  throw refused(name, `String should have at most ${most} characters`)
}
