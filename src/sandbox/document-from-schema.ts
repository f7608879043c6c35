import { flatSchema, type Refs, type SchemaWork } from './flat-schema.ts'
import { isRecord, type JsonRecord, listOf, recordOf } from './json-record.ts'
import { numberFromSchema } from './number-from-schema.ts'
import { stringFromSchema } from './string-from-schema.ts'

// The schema is the caller's: it may be recursive, or ask for a billion items.
const MOST_STEPS = 4000
const MOST_PROPERTIES = 1000
const DEEPEST_LEVEL = 64

/** A small document that satisfies a JSON schema: required members only, strings from `text`. `{}` when none is found. */
export function documentFromSchema(schema: unknown, text: string): unknown {
  const found = write(schema, { root: schema, text, stepsLeft: MOST_STEPS }, { level: 0, refs: ['#'] })
  return found === undefined ? {} : found
}

type Task = SchemaWork & { text: string }
type Place = { level: number; refs: Refs }

/** `undefined`: no value can stand here. */
function write(schema: unknown, task: Task, place: Place): unknown {
  if (place.level > DEEPEST_LEVEL) return undefined
  const flat = flatSchema(schema, task, place.refs)
  if (!flat) return undefined
  if (flat.schema.const !== undefined) return flat.schema.const
  if (Array.isArray(flat.schema.enum)) return flat.schema.enum[0]
  const inside = { level: place.level + 1, refs: flat.refs }
  return flat.branches ? writeBranch(flat.schema, flat.branches, task, inside) : writeTyped(flat.schema, task, inside)
}

function writeBranch(shared: JsonRecord, branches: unknown[], task: Task, place: Place): unknown {
  for (const branch of branches) {
    const found = write({ allOf: [shared, branch] }, task, place)
    if (found !== undefined) return found
  }
  return undefined
}

function writeTyped(schema: JsonRecord, task: Task, place: Place): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return writeObject(schema, task, place)
    case 'array':
      return writeArray(schema, task, place)
    case 'integer':
    case 'number':
      return numberFromSchema(schema)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return stringFromSchema(schema, task.text)
  }
}

function typeOf({ type, ...rest }: JsonRecord): unknown {
  const first = Array.isArray(type) ? type[0] : type
  if (first !== undefined) return first
  if (rest.properties || rest.required || rest.minProperties) return 'object'
  if (rest.items || rest.prefixItems || rest.minItems) return 'array'
  const hasBound = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some(
    (key) => key in rest,
  )
  return hasBound ? 'number' : 'string'
}

function writeObject(schema: JsonRecord, task: Task, place: Place): unknown {
  const properties = recordOf(schema.properties)
  const entries: [string, unknown][] = []
  for (const name of neededNames(schema, properties)) {
    const value = write(Object.hasOwn(properties, name) ? properties[name] : otherProperty(schema), task, place)
    if (value === undefined) return undefined
    entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

function neededNames({ required, minProperties }: JsonRecord, properties: JsonRecord): Set<string> {
  const names = new Set(listOf(required).map(String))
  const wanted = Math.min(Number(minProperties ?? 0), MOST_PROPERTIES)
  for (const name of Object.keys(properties)) if (names.size < wanted) names.add(name)
  for (let count = 1; names.size < wanted; count++) names.add(`property_${count}`)
  return names
}

function otherProperty({ additionalProperties }: JsonRecord): unknown {
  return isRecord(additionalProperties) ? additionalProperties : {}
}

function writeArray(schema: JsonRecord, task: Task, place: Place): unknown {
  const first = listOf(schema.prefixItems)
  const items: unknown[] = []
  while (items.length < Number(schema.minItems ?? 0)) {
    const item = write(first.length > items.length ? first[items.length] : schema.items, task, place)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}
