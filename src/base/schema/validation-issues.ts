// Lists everything that is wrong with a value, in the vocabulary that clients know. This code may be slow: it runs only
// after the compiled check has refused a body.
import Format from 'typebox/format'
import { Guard } from 'typebox/guard'
import * as say from './issue-messages.ts'
import type { Loc } from './issue-messages.ts'
import type { JsonSchema } from './json-schema.ts'
import { isOfType, intendedBranch } from './intended-branch.ts'
import { type Fields, isRecord } from './record.ts'
import { FORMAT_ISSUES, PATTERN_ISSUES } from './patterns.ts'
import type { ValidationIssue } from './validation-issue.ts'

const MAX_ISSUES = 100

/** The list is empty exactly when the compiled check passes. */
export function issues(schema: JsonSchema, value: unknown, loc: Loc): ValidationIssue[] {
  const found: ValidationIssue[] = []
  find(schema, value, loc, found)
  return found.slice(0, MAX_ISSUES)
}

function find(schema: JsonSchema, value: unknown, loc: Loc, found: ValidationIssue[]): void {
  if (found.length >= MAX_ISSUES) return
  if (schema.enum) findLiteral(schema.enum, value, loc, found)
  else if ('const' in schema) findLiteral([schema.const], value, loc, found)
  else if (schema.anyOf) findInUnion(schema.anyOf, value, loc, found)
  else if (schema.type !== undefined) findInTyped(schema, value, loc, found)
}

function findLiteral(literals: unknown[], value: unknown, loc: Loc, found: ValidationIssue[]): void {
  if (!literals.includes(value)) found.push(say.notAmong(loc, literals))
}

/** Checks the branch that the caller meant first, so that a large list is walked once and not once per branch. */
function findInUnion(branches: JsonSchema[], value: unknown, loc: Loc, found: ValidationIssue[]): void {
  const intended = intendedBranch(branches, value)
  const issuesOfIntended = issues(intended, value, loc)
  if (issuesOfIntended.length === 0) return
  const fitsAnother = branches.some((branch) => branch !== intended && issues(branch, value, loc).length === 0)
  if (!fitsAnother) found.push(...issuesOfIntended)
}

function findInTyped(schema: JsonSchema, value: unknown, loc: Loc, found: ValidationIssue[]): void {
  if (!isOfType(value, schema.type)) found.push(say.wrongType(loc, schema.type!))
  else if (typeof value === 'string') findInString(schema, value, loc, found)
  else if (typeof value === 'number') findInNumber(schema, value, loc, found)
  else if (Array.isArray(value)) findInList(schema, value, loc, found)
  else if (isRecord(value)) findInObject(schema, value, loc, found)
}

function findInString(schema: JsonSchema, value: string, loc: Loc, found: ValidationIssue[]): void {
  const { minLength = 0, maxLength, format, pattern } = schema
  if (!Guard.IsMinLength(value, minLength)) found.push(say.stringTooShort(loc, minLength))
  else if (maxLength !== undefined && !Guard.IsMaxLength(value, maxLength))
    found.push(say.stringTooLong(loc, maxLength))
  else if (format !== undefined && !Format.Test(format, value)) found.push(FORMAT_ISSUES[format]!(loc))
  else if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) found.push(PATTERN_ISSUES[pattern]!(loc))
}

function findInNumber({ type, minimum, maximum }: JsonSchema, value: number, loc: Loc, found: ValidationIssue[]): void {
  if (type === 'integer' && !Number.isInteger(value)) found.push(say.fractional(loc))
  else if (minimum !== undefined && value < minimum) found.push(say.tooSmall(loc, minimum))
  else if (maximum !== undefined && value > maximum) found.push(say.tooLarge(loc, maximum))
}

function findInList(
  { items, minItems = 0, maxItems }: JsonSchema,
  value: unknown[],
  loc: Loc,
  found: ValidationIssue[],
): void {
  if (value.length < minItems) found.push(say.listTooShort(loc, minItems, value.length))
  if (maxItems !== undefined && value.length > maxItems) found.push(say.listTooLong(loc, maxItems, value.length))
  if (!items) return
  for (const [index, item] of value.entries()) {
    if (found.length >= MAX_ISSUES) return
    find(items, item, [...loc, index], found)
  }
}

function findInObject(schema: JsonSchema, value: Fields, loc: Loc, found: ValidationIssue[]): void {
  const { required = [], properties = {}, oneOf } = schema
  for (const key of required) if (!(key in value)) found.push(say.missing([...loc, key]))
  for (const key in properties) {
    const isThere = required.includes(key) ? key in value : value[key] !== undefined
    if (isThere) find(properties[key]!, value[key], [...loc, key], found)
  }
  findInOthers(schema, value, loc, found)
  if (!oneOf) return
  const keys = oneOf.map((branch) => branch.required[0])
  findExactlyOne(keys, value, loc, found)
}

/** Members that the schema does not name. */
function findInOthers(schema: JsonSchema, value: Fields, loc: Loc, found: ValidationIssue[]): void {
  const { properties = {}, additionalProperties: others = true } = schema
  if (others === true) return
  for (const key of Object.getOwnPropertyNames(value)) {
    if (found.length >= MAX_ISSUES) return
    if (Object.hasOwn(properties, key)) continue
    if (others) find(others, value[key], [...loc, key], found)
    else found.push(say.extra([...loc, key]))
  }
}

function findExactlyOne(keys: string[], value: Fields, loc: Loc, found: ValidationIssue[]): void {
  const present = keys.filter((key) => key in value)
  if (present.length === 0) found.push(say.valueError(loc, `Input should have ${say.alternatives(keys)}`))
  if (present.length < 2) return
  found.push(say.valueError(loc, `Input should have only one of ${say.alternatives(keys, 'and')}`))
}
