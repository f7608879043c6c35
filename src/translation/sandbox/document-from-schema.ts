import { flatSchema, type Refs, type SchemaWork } from './flat-schema.ts'
import { isRecord, type Fields, listOf, recordOf } from '../../base/schema/record.ts'
import { numberFromSchema } from './number-from-schema.ts'
import { stringFromSchema } from './string-from-schema.ts'

// The schema comes from the caller: it may be recursive, or require a billion items.
const MAX_STEPS = 20_000
const DEEPEST_LEVEL = 64
const CHARS_PER_STEP = 100
const STEPS_PER_PATTERN_CHAR = 3

/** A small document that satisfies a JSON schema: required members only, strings from `text`. `{}` if none is found. */
export function documentFromSchema(schema: unknown, text: string): unknown {
  const found = write(schema, { root: schema, text, stepsLeft: MAX_STEPS }, { level: 0, refs: ['#'] })
  return found === undefined ? {} : found
}

type Task = SchemaWork & { text: string }
type SchemaPosition = { level: number; refs: Refs }

/** `undefined` if no value is possible here. */
function write(schema: unknown, task: Task, position: SchemaPosition): unknown {
  if (position.level > DEEPEST_LEVEL) return undefined
  const flat = flatSchema(schema, task, position.refs)
  if (!flat) return undefined
  if (flat.schema.const !== undefined) return copied(flat.schema.const, task)
  if (Array.isArray(flat.schema.enum)) return copied(flat.schema.enum[0], task)
  const inside = { level: position.level + 1, refs: flat.refs }
  return flat.branches ? writeBranch(flat.schema, flat.branches, task, inside) : writeTyped(flat.schema, task, inside)
}

/** A value of the schema may be needed any number of times, so the budget pays each time it is written. */
function copied(value: unknown, task: Task): unknown {
  task.stepsLeft -= stepsFor(value)
  return task.stepsLeft < 0 ? undefined : value
}

/** The approximate cost of writing a value: its parts and its characters. */
function stepsFor(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARS_PER_STEP
  if (typeof value !== 'object' || value === null) return 1
  let steps = 1
  for (const [name, one] of Object.entries(value)) steps += stepsFor(name) + stepsFor(one)
  return steps
}

function writeBranch(shared: Fields, branches: unknown[], task: Task, position: SchemaPosition): unknown {
  for (const branch of branches) {
    const found = write({ allOf: [shared, branch] }, task, position)
    if (found !== undefined) return found
  }
  return undefined
}

function writeTyped(schema: Fields, task: Task, position: SchemaPosition): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return writeObject(schema, task, position)
    case 'array':
      return writeArray(schema, task, position)
    case 'integer':
    case 'number':
      return numberFromSchema(schema)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return writeString(schema, task)
  }
}

function writeString(schema: Fields, task: Task): string | undefined {
  if (typeof schema.pattern === 'string') task.stepsLeft -= schema.pattern.length * STEPS_PER_PATTERN_CHAR
  return task.stepsLeft < 0 ? undefined : stringFromSchema(schema, task.text)
}

function typeOf({ type, ...rest }: Fields): unknown {
  const first = Array.isArray(type) ? type[0] : type
  if (first !== undefined) return first
  if (rest.properties || rest.required || rest.minProperties) return 'object'
  if (rest.items || rest.prefixItems || rest.minItems) return 'array'
  const hasBound = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some(
    (key) => key in rest,
  )
  return hasBound ? 'number' : 'string'
}

function writeObject(schema: Fields, task: Task, position: SchemaPosition): unknown {
  const properties = recordOf(schema.properties)
  const names = neededNames(schema, properties, task)
  const entries: [string, unknown][] = []
  for (const name of names ?? []) {
    const value = write(Object.hasOwn(properties, name) ? properties[name] : otherProperty(schema), task, position)
    if (value === undefined) return undefined
    entries.push([name, value])
  }
  return names && Object.fromEntries(entries)
}

function neededNames({ required, minProperties }: Fields, properties: Fields, task: Task) {
  const least = countOf(minProperties)
  task.stepsLeft -= stepsFor(required) + least
  if (task.stepsLeft < 0) return undefined
  const names = new Set(listOf(required).map(String))
  if (names.size < least) addNames(names, least, Object.keys(properties), task)
  return names
}

/** A cost that is not a number would remove the limit from everything after it. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}

function addNames(names: Set<string>, least: number, optional: string[], task: Task): void {
  task.stepsLeft -= optional.length
  for (const name of optional) if (names.size < least) names.add(name)
  for (let count = 1; names.size < least; count++) names.add(`property_${count}`)
}

function otherProperty({ additionalProperties }: Fields): unknown {
  return isRecord(additionalProperties) ? additionalProperties : {}
}

function writeArray(schema: Fields, task: Task, position: SchemaPosition): unknown {
  const first = listOf(schema.prefixItems)
  const items: unknown[] = []
  const least = countOf(schema.minItems)
  while (items.length < least) {
    const item = write(first.length > items.length ? first[items.length] : schema.items, task, position)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}
