import { isDeepStrictEqual } from 'node:util'
import * as say from '../../contract/fault-words.ts'
import type { Loc } from '../../contract/fault-words.ts'
import { isObject, isOfType } from '../../contract/meant-branch.ts'
import type { Fault } from '../../contract/problems.ts'
import { searchShort } from '../patterns/search-text.ts'
import { openPattern, type TYPES } from './read-schema.ts'

// Checks a value against a JSON Schema that read-schema.ts has let pass. Interpreted: it runs once.

const MAX_STEPS = 100_000
const MAX_DEPTH = 200
const MAX_FAULTS = 20

type Schema = Record<string, unknown>
type Work = { root: unknown; stepsLeft: number }

export function valueFaults(schema: unknown, value: unknown): Fault[] {
  return check(schema, value, [], { root: schema, stepsLeft: MAX_STEPS }, 0).slice(0, MAX_FAULTS)
}

function check(schema: unknown, value: unknown, loc: Loc, work: Work, depth: number): Fault[] {
  if (schema === true || schema === undefined) return []
  if (schema === false || !isObject(schema)) return [say.valueError(loc, 'Nothing is allowed here')]
  if (work.stepsLeft-- <= 0 || depth > MAX_DEPTH)
    return [say.valueError(loc, 'The schema is too involved to be checked')]
  const inner = (one: unknown, part: unknown, way: Loc = []) => check(one, part, [...loc, ...way], work, depth + 1)
  return [
    ...(typeof schema.$ref === 'string' ? inner(pointed(schema.$ref, work.root), value) : []),
    ...kindFaults(schema, value, loc),
    ...combinationFaults(schema, value, loc, inner),
    ...partFaults(schema, value, loc, inner),
  ]
}

type Inner = (schema: unknown, value: unknown, way?: Loc) => Fault[]

function kindFaults(schema: Schema, value: unknown, loc: Loc): Fault[] {
  const types = schema.type === undefined ? [] : ([schema.type].flat() as (typeof TYPES)[number][])
  if (types.length > 0 && !types.some((type) => isType(value, type))) return [say.wrongType(loc, types[0]!)]
  const allowed = 'const' in schema ? [schema.const] : (schema.enum as unknown[] | undefined)
  if (allowed && !allowed.some((one) => isDeepStrictEqual(one, value))) return [say.notAmong(loc, allowed)]
  if (typeof value === 'string') return stringFaults(schema, value, loc)
  return typeof value === 'number' ? numberFaults(schema, value, loc) : []
}

function isType(value: unknown, type: (typeof TYPES)[number]): boolean {
  return type === 'integer' ? Number.isInteger(value) : isOfType(value, type)
}

function stringFaults({ minLength, maxLength, pattern }: Schema, value: string, loc: Loc): Fault[] {
  const length = [...value].length
  if (length < Number(minLength ?? 0)) return [say.stringTooShort(loc, Number(minLength))]
  if (length > Number(maxLength ?? length)) return [say.stringTooLong(loc, Number(maxLength))]
  if (typeof pattern !== 'string' || searchShort(openPattern(pattern), value) >= 0) return []
  return [say.valueError(loc, `String should match the pattern '${pattern}'`)]
}

function numberFaults(schema: Schema, value: number, loc: Loc): Fault[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>
  if (minimum !== undefined && value < minimum) return [say.tooSmall(loc, minimum)]
  if (maximum !== undefined && value > maximum) return [say.tooLarge(loc, maximum)]
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return [say.valueError(loc, `Input should be greater than ${exclusiveMinimum}`)]
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return [say.valueError(loc, `Input should be less than ${exclusiveMaximum}`)]
  const isMultiple = multipleOf === undefined || Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-9
  return isMultiple ? [] : [say.valueError(loc, `Input should be a multiple of ${multipleOf}`)]
}

function combinationFaults(schema: Schema, value: unknown, loc: Loc, inner: Inner): Fault[] {
  const { allOf, anyOf, oneOf, not } = schema as Record<string, unknown[]>
  const faults = (allOf ?? []).flatMap((one) => inner(one, value))
  for (const branches of [anyOf, oneOf]) if (branches) faults.push(...bestOf(branches.map((one) => inner(one, value))))
  const fitting = oneOf?.filter((one) => inner(one, value).length === 0).length ?? 1
  if (fitting > 1) faults.push(say.valueError(loc, 'Input should fit only one of the alternatives'))
  if (not !== undefined && inner(not, value).length === 0) faults.push(say.valueError(loc, 'This is not allowed here'))
  return faults
}

/** None when one branch fits; otherwise what is wrong with the nearest. */
function bestOf(branches: Fault[][]): Fault[] {
  return branches.reduce((best, one) => (one.length < best.length ? one : best), branches[0] ?? [])
}

function partFaults(schema: Schema, value: unknown, loc: Loc, inner: Inner): Fault[] {
  if (Array.isArray(value)) return listFaults(schema, value, loc, inner)
  return isObject(value) ? objectFaults(schema, value, loc, inner) : []
}

function listFaults(schema: Schema, value: unknown[], loc: Loc, inner: Inner): Fault[] {
  const { minItems, maxItems, uniqueItems, items, prefixItems = [] } = schema
  const first = prefixItems as unknown[]
  const faults = value.flatMap((item, at) => inner(at < first.length ? first[at] : items, item, [at]))
  if (value.length < Number(minItems ?? 0)) faults.push(say.listTooShort(loc, Number(minItems), value.length))
  if (value.length > Number(maxItems ?? value.length)) faults.push(say.listTooLong(loc, Number(maxItems), value.length))
  if (uniqueItems === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length)
    faults.push(say.valueError(loc, 'Items should all be different'))
  return faults
}

function objectFaults(schema: Schema, value: Record<string, unknown>, loc: Loc, inner: Inner): Fault[] {
  const { required = [], properties = {}, additionalProperties, minProperties, maxProperties } = schema
  const known = properties as Record<string, unknown>
  const names = Object.keys(value)
  const missing = (required as string[]).filter((name) => !Object.hasOwn(value, name))
  const faults = missing.map((name) => say.missing([...loc, name]))
  for (const name of names) {
    if (Object.hasOwn(known, name)) faults.push(...inner(known[name], value[name], [name]))
    else if (additionalProperties === false) faults.push(say.extra([...loc, name]))
    else faults.push(...inner(additionalProperties, value[name], [name]))
  }
  if (names.length < Number(minProperties ?? 0) || names.length > Number(maxProperties ?? names.length))
    faults.push(say.valueError(loc, 'The object has too few or too many properties'))
  return faults
}

/** A reference that leads nowhere allows nothing. */
function pointed(ref: string, root: unknown): unknown {
  const steps = ref.slice(1).split('/').slice(1)
  const names = steps.map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)] ?? false
    return isObject(value) && Object.hasOwn(value, name) ? value[name] : false
  }, root)
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
