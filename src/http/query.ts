import { didYouMean } from '../base/schema/nearest-name.ts'
import { IsUuid } from 'typebox/format'
import {
  extra,
  notAmong,
  stringTooLong,
  tooLarge,
  tooSmall,
  uuidParsing,
  valueError,
  wrongType,
} from '../base/schema/issue-messages.ts'
import { isRecord } from '../base/schema/record.ts'
import Type, { type Static, type TObject, type TSchema } from '../base/schema/type.ts'
import type { ValidationIssue } from '../base/schema/validation-issue.ts'
import { validationProblem } from './problems.ts'

// Query strings are text. They are read as the schema of the query says, and errors in them use the same words as errors in
// bodies.

export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 1_000
export const MAX_PAGE = 1_000_000
/** Of a text whose schema names no other limit. */
export const MAX_CHARS = 300
const MAX_UNKNOWN = 10
/** The number of a page, from 1. */
export const PAGE = Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1, description: 'Which page.' })
/** Date.parse alone also accepts "hello 2026", and years that no report can print. */
const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/
/** The end of the year 9999. */
const LATEST_TIME = 253_402_300_799_999

type Query = Readonly<Record<string, unknown>>
type Read = (name: string, value: unknown) => unknown

/** The keywords of JSON Schema that the schemas of queries use. */
type Property = {
  type?: string
  enum?: readonly string[]
  format?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Property
}

/**
 * Reads a query with the types of its schema; what the query does not say is left out. Other names are ignored, or refused if
 * the schema is closed: a filter with a typo would show everything.
 */
export function queryReader<Schema extends TObject>(schema: Schema): (query: unknown) => Static<Schema> {
  const readers = Object.entries(schema.properties).map(([name, property]) => [name, readerOf(property)] as const)
  const names = isClosed(schema) ? new Set(readers.map(([name]) => name)) : undefined
  return (written) => {
    const query = isRecord(written) ? written : {}
    if (names) refuseOthers(query, names)
    const found: Record<string, unknown> = {}
    for (const [name, read] of readers) {
      const value = read(name, query[name] ?? query[`${name}[]`])
      if (value !== undefined) found[name] = value
    }
    return found as Static<Schema>
  }
}

function isClosed({ additionalProperties }: TSchema & { additionalProperties?: unknown }): boolean {
  return additionalProperties === false
}

function refuseOthers(query: Query, names: ReadonlySet<string>): void {
  const unknown = Object.keys(query).filter((name) => !names.has(name))
  if (unknown.length === 0) return
  const issues = unknown.slice(0, MAX_UNKNOWN).map((name) => extra(['query', name]))
  throw validationProblem(issues, didYouMean(unknown[0]!, names))
}

function readerOf(property: Property): Read {
  const { type, enum: words, format, maxLength = MAX_CHARS, minimum, maximum } = property
  if (words) return (name, value) => readWord(name, readText(name, value), words)
  if (type === 'integer') return (name, value) => readInteger(name, readText(name, value), { minimum, maximum })
  if (type === 'number') return (name, value) => readNumber(name, readText(name, value))
  if (type === 'boolean') return (name, value) => readFlag(name, readText(name, value))
  if (type === 'string' && format === 'uuid') return (name, value) => readUuid(name, readText(name, value))
  if (type === 'string') return (name, value) => readText(name, value, maxLength)
  if (type === 'array' && property.items) return readList(readerOf(property.items))
  throw new TypeError(`a query cannot have a member of the type ${type}`)
}

/** `include=a`, `include=a&include=b` or, as some clients write lists, `include[]=a`. */
function readList(read: Read): Read {
  return (name, value) => (value === undefined ? undefined : [value].flat().map((one) => read(name, one)))
}

function readWord(name: string, text: string | undefined, words: readonly string[]): string | undefined {
  if (text === undefined || words.includes(text)) return text
  throw refused(notAmong(locOf(name), words))
}

function readFlag(name: string, text: string | undefined): boolean | undefined {
  const word = readWord(name, text, ['true', 'false'])
  return word === undefined ? undefined : word === 'true'
}

function readText(name: string, text: unknown, max: number = MAX_CHARS): string | undefined {
  if (text === undefined) return undefined
  // A repeated parameter arrives as a list.
  if (typeof text !== 'string') throw refused(wrongType(locOf(name), 'string'))
  if (text.length <= max || Array.from(text).length <= max) return text
  throw refused(stringTooLong(locOf(name), max))
}

function readUuid(name: string, id: string | undefined): string | undefined {
  if (id === undefined || IsUuid(id)) return id
  throw refused(uuidParsing(locOf(name)))
}

type Range = { minimum: number | undefined; maximum: number | undefined }

function readInteger(name: string, text: string | undefined, range: Range): number | undefined {
  if (text === undefined) return undefined
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = range
  const count = Number(text)
  if (text === '' || !Number.isInteger(count)) throw refused(wrongType(locOf(name), 'integer'))
  if (count < minimum) throw refused(tooSmall(locOf(name), minimum))
  if (count > maximum) throw refused(tooLarge(locOf(name), maximum))
  return count
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  throw refused(wrongType(locOf(name), 'number'))
}

/** ISO 8601, or milliseconds since 1970. */
export function readTime(name: string, text: string): number
export function readTime(name: string, text: string | undefined): number | undefined
export function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = /^\d{1,15}$/.test(text) ? Number(text) : ISO_8601.test(text) ? Date.parse(text) : Number.NaN
  if (at <= LATEST_TIME) return at
  const sentence = 'Input should be a valid date, such as 2026-11-15 or 2026-11-15T08:00:00Z'
  throw refused(valueError(locOf(name), sentence))
}

function locOf(name: string): ValidationIssue['loc'] {
  return ['query', name]
}

function refused(issue: ValidationIssue) {
  return validationProblem([issue])
}
