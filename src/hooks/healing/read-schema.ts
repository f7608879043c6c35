import { type Loc, notAmong, valueError, wrongType } from '../../contract/fault-words.ts'
import { isObject } from '../../contract/meant-branch.ts'
import type { Fault } from '../../contract/problems.ts'
import { compilePatterns } from '../patterns/compile-patterns.ts'
import { PatternError, parsePattern } from '../patterns/parse-pattern.ts'
import { PatternSearch } from '../patterns/pattern-search.ts'

// A caller's JSON Schema is looked over before anyone is called: what could not be checked later is refused now. It is
// never compiled to code, and no `$ref` leaves it.

const MAX_SCHEMAS = 5_000
const MAX_DEPTH = 64
const MAX_PATTERN_CHARS = 500
const MAX_PATTERN_STATES = 1_000

export const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const MAPS = ['properties', '$defs', 'definitions']
const SINGLE = ['items', 'additionalProperties', 'not']
/** They assert something that is not checked here; to pass over them would be to say yes unseen. */
const UNSUPPORTED = [
  ...['if', 'then', 'else', 'contains', 'minContains', 'maxContains', 'patternProperties', 'propertyNames'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['additionalItems', '$dynamicRef', '$recursiveRef'],
]

/** `{ name, schema, strict }`, as `response_format` has it, or the schema itself. */
export function bareSchema(given: Record<string, unknown>): Record<string, unknown> {
  return isObject(given.schema) && !('type' in given) && !('properties' in given) ? given.schema : given
}

export function schemaFaults(schema: unknown, loc: Loc): Fault[] {
  const found: Fault[] = []
  let schemas = 0
  visit(schema, loc, 0)
  return found

  function visit(one: unknown, place: Loc, depth: number): void {
    if (typeof one === 'boolean') return
    if (!isObject(one)) return void found.push(wrongType(place, 'object'))
    if (++schemas > MAX_SCHEMAS || depth > MAX_DEPTH) return void found.push(tooLarge(place))
    found.push(...ownFaults(one, place))
    for (const [way, inner] of innerSchemas(one)) visit(inner, [...place, ...way], depth + 1)
  }
}

function ownFaults(schema: Record<string, unknown>, loc: Loc): Fault[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const fault = keywordFault(keyword, value, [...loc, keyword])
    return fault ? [fault] : []
  })
}

function keywordFault(keyword: string, value: unknown, loc: Loc): Fault | undefined {
  if (UNSUPPORTED.includes(keyword)) return valueError(loc, 'This keyword is not supported here')
  if (NUMBERS.includes(keyword) && !Number.isFinite(value)) return wrongType(loc, 'number')
  if (COUNTS.includes(keyword) && !Number.isInteger(value)) return wrongType(loc, 'integer')
  if ([...LISTS, 'required', 'enum'].includes(keyword) && !Array.isArray(value)) return wrongType(loc, 'array')
  if (MAPS.includes(keyword) && !isObject(value)) return wrongType(loc, 'object')
  if (keyword === '$ref' && !(typeof value === 'string' && value.startsWith('#')))
    return valueError(loc, 'A reference has to begin with # and stay inside this schema')
  if (keyword === 'type') return [value].flat().every(isType) ? undefined : notAmong(loc, TYPES)
  return keyword === 'pattern' ? patternFault(value, loc) : undefined
}

function isType(value: unknown): boolean {
  return TYPES.some((type) => type === value)
}

function patternFault(value: unknown, loc: Loc): Fault | undefined {
  if (typeof value !== 'string') return wrongType(loc, 'string')
  if (value.length > MAX_PATTERN_CHARS) return valueError(loc, `A pattern may have ${MAX_PATTERN_CHARS} characters`)
  try {
    openPattern(value)
    return undefined
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return valueError(loc, error.message)
  }
}

/** The pattern of a schema, matched in linear time. */
export function openPattern(pattern: string): PatternSearch {
  return new PatternSearch(compilePatterns([parsePattern(pattern)], MAX_PATTERN_STATES), false)
}

function innerSchemas(schema: Record<string, unknown>): [Loc, unknown][] {
  const single = SINGLE.filter((keyword) => schema[keyword] !== undefined)
  const lists = LISTS.filter((keyword) => Array.isArray(schema[keyword]))
  const maps = MAPS.filter((keyword) => isObject(schema[keyword]))
  return [
    ...single.map((keyword): [Loc, unknown] => [[keyword], schema[keyword]]),
    ...lists.flatMap((keyword) =>
      (schema[keyword] as unknown[]).map((one, at): [Loc, unknown] => [[keyword, at], one]),
    ),
    ...maps.flatMap((keyword) =>
      Object.entries(schema[keyword] as object).map(([name, one]): [Loc, unknown] => [[keyword, name], one]),
    ),
  ]
}

function tooLarge(loc: Loc): Fault {
  return valueError(loc, `A schema may have ${MAX_SCHEMAS} parts, nested ${MAX_DEPTH} deep`)
}
