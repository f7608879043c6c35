import { type Loc, notAmong, valueError, wrongType } from '../../../base/schema/issue-messages.ts'
import { isRecord } from '../../../base/schema/record.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { compilePatterns, partsOf, refuseTooLarge, STEPS_PER_PART } from '../patterns/compile-patterns.ts'
import { type Node, PatternError, parsePattern } from '../patterns/parse-pattern.ts'
import { PatternMachine } from '../patterns/pattern-machine.ts'
import type { StepBudget } from '../step-budget.ts'
import { locOf, type ValuePath, valuePath } from './place.ts'
import { fits } from './json-size.ts'

// Checks a caller's JSON Schema before any provider is called: parts that could not be checked later are refused now. A
// schema is never compiled to code, and no `$ref` may leave it.

const MAX_SCHEMAS = 5_000
const MAX_DEPTH = 64
const MAX_SIZE = { values: 50_000, chars: 1_000_000 }
const MAX_PATTERN_CHARS = 500
const MAX_PATTERN_STATES = 1_000
/** For all patterns of a schema together. */
const MAX_STATES = 20_000
const MAX_ISSUES = 20

export const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const
const NUMBERS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'])
const COUNTS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'])
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const LISTS = new Set([...SCHEMA_LISTS, 'required', 'enum'])
const SCHEMA_MAPS = ['properties', '$defs', 'definitions']
const MAPS = new Set(SCHEMA_MAPS)
const SINGLE = ['items', 'additionalProperties', 'not']
/** Keywords with assertions that are not checked here. Ignoring them would accept values unchecked. */
const UNSUPPORTED = new Set([
  ...['if', 'then', 'else', 'contains', 'minContains', 'maxContains', 'patternProperties', 'propertyNames'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['additionalItems', '$dynamicRef', '$recursiveRef'],
])

/** Accepts `{ name, schema, strict }`, as in `response_format`, or the schema itself. */
export function bareSchema(fields: Record<string, unknown>): Record<string, unknown> {
  return isRecord(fields.schema) && !('type' in fields) && !('properties' in fields) ? fields.schema : fields
}

/** Lists what is wrong with a schema, up to a limit, in time proportional to its size. */
export function schemaIssues(schema: unknown, loc: Loc): ValidationIssue[] {
  if (!fits(schema, MAX_SIZE)) return [valueError(loc, TOO_LARGE)]
  const reader = new SchemaReader()
  reader.visit(schema, valuePath(loc), 0)
  return reader.found
}

const TOO_LARGE =
  `A schema may have ${MAX_SCHEMAS} parts, nested ${MAX_DEPTH} deep, ${MAX_SIZE.values} values, ` +
  `${MAX_SIZE.chars} characters, and patterns of ${MAX_STATES} states`

class SchemaReader {
  readonly found: ValidationIssue[] = []
  #schemas = 0
  #patternParts = 0

  visit(schema: unknown, path: ValuePath, depth: number): void {
    if (typeof schema === 'boolean' || this.found.length >= MAX_ISSUES) return
    if (!isRecord(schema)) return this.#say(wrongType(locOf(path), 'object'))
    if (++this.#schemas > MAX_SCHEMAS || depth > MAX_DEPTH) return this.#say(valueError(locOf(path), TOO_LARGE))
    for (const keyword in schema) this.#keyword(keyword, schema[keyword], { before: path, key: keyword })
    for (const [way, inner] of innerSchemas(schema)) this.visit(inner, valuePath(way, path), depth + 1)
  }

  #keyword(keyword: string, value: unknown, path: ValuePath): void {
    if (keyword === 'pattern') return this.#pattern(value, path)
    const issue = keywordIssue(keyword, value)
    if (issue) this.#say(issue(locOf(path)))
  }

  #pattern(value: unknown, path: ValuePath): void {
    if (typeof value !== 'string') return this.#say(wrongType(locOf(path), 'string'))
    if (value.length > MAX_PATTERN_CHARS)
      return this.#say(valueError(locOf(path), `A pattern may have ${MAX_PATTERN_CHARS} characters`))
    try {
      this.#patternParts += partsOf(readPattern(value))
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      this.#say(valueError(locOf(path), error.message))
    }
    if (this.#patternParts > MAX_STATES * 2) this.#say(valueError(locOf(path), TOO_LARGE))
  }

  #say(issue: ValidationIssue): void {
    if (this.found.length < MAX_ISSUES) this.found.push(issue)
  }
}

function keywordIssue(keyword: string, value: unknown): ((loc: Loc) => ValidationIssue) | undefined {
  if (UNSUPPORTED.has(keyword)) return (loc) => valueError(loc, 'This keyword is not supported here')
  if (NUMBERS.has(keyword) && !Number.isFinite(value)) return (loc) => wrongType(loc, 'number')
  if (COUNTS.has(keyword) && !Number.isInteger(value)) return (loc) => wrongType(loc, 'integer')
  if (LISTS.has(keyword) && !Array.isArray(value)) return (loc) => wrongType(loc, 'array')
  if (keyword === 'required' && !areTexts(value)) return (loc) => valueError(loc, 'Names of members are texts')
  if (MAPS.has(keyword) && !isRecord(value)) return (loc) => wrongType(loc, 'object')
  if (keyword === '$ref' && !(typeof value === 'string' && value.startsWith('#')))
    return (loc) => valueError(loc, 'A reference has to start with # and stay inside this schema')
  return keyword === 'type' && ![value].flat().every(isType) ? (loc) => notAmong(loc, TYPES) : undefined
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isType(value: unknown): boolean {
  return TYPES.some((type) => type === value)
}

function readPattern(pattern: string): Node {
  const node = parsePattern(pattern)
  refuseTooLarge([node], MAX_PATTERN_STATES)
  return node
}

/** A matcher for the pattern that runs in linear time. */
export function openPattern(pattern: string, budget: StepBudget): PatternMachine {
  const node = readPattern(pattern)
  budget.spend(partsOf(node) * STEPS_PER_PART)
  return new PatternMachine(compilePatterns([node]), false, budget)
}

function innerSchemas(schema: Record<string, unknown>): [Loc, unknown][] {
  const single = SINGLE.filter((keyword) => schema[keyword] !== undefined)
  const lists = SCHEMA_LISTS.filter((keyword) => Array.isArray(schema[keyword]))
  const maps = SCHEMA_MAPS.filter((keyword) => isRecord(schema[keyword]))
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
