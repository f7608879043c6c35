import { isRecord, type Fields, listOf, recordOf } from '../../base/schema/record.ts'

/** The references on the path to a place; a finite document never needs one of them twice. */
export type Refs = readonly string[]

/** `stepsLeft` limits the time of a hostile schema: everything that costs by size is paid from it. */
export type SchemaWork = { root: unknown; stepsLeft: number }

type FlatSchema = { schema: Fields; branches: unknown[] | undefined; refs: Refs }

const MAX_REFS = 64
const MAX_REF_CHARS = 500

// Only these members are copied: a schema may have any number of others.
const KEYWORDS = [
  ...['type', 'const', 'enum', 'anyOf', 'oneOf'],
  ...['properties', 'required', 'additionalProperties', 'minProperties'],
  ...['items', 'prefixItems', 'minItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['format', 'pattern', 'minLength', 'maxLength'],
]

/** Resolves `$ref` and `allOf` and separates the alternatives; `undefined` if a reference leads nowhere. */
export function flatSchema(schema: unknown, work: SchemaWork, refs: Refs): FlatSchema | undefined {
  const folded = fold(schema, work, refs)
  return folded && { ...apart(folded.schema), refs: folded.refs }
}

type Folded = { schema: Fields; refs: Refs }

function fold(schema: unknown, work: SchemaWork, refs: Refs): Folded | undefined {
  if (schema === false || work.stepsLeft-- <= 0) return undefined
  const whole = recordOf(schema)
  let folded: Folded | undefined = { schema: readable(whole), refs }
  if (typeof whole.$ref === 'string') folded = joined(folded, follow(whole.$ref, work, refs), work, refs)
  for (const part of listOf(whole.allOf)) folded = folded && joined(folded, fold(part, work, refs), work, refs)
  return folded
}

function readable(schema: Fields): Fields {
  const present = KEYWORDS.filter((keyword) => Object.hasOwn(schema, keyword))
  return Object.fromEntries(present.map((keyword) => [keyword, schema[keyword]]))
}

function follow(ref: string, work: SchemaWork, refs: Refs): Folded | undefined {
  if (refs.includes(ref) || refs.length >= MAX_REFS || ref.length > MAX_REF_CHARS) return undefined
  const target = pointed(ref, work.root)
  return target === undefined ? undefined : fold(target, work, [...refs, ref])
}

function joined(one: Folded, other: Folded | undefined, work: SchemaWork, shared: Refs): Folded | undefined {
  if (!other) return undefined
  return { schema: merge(one.schema, other.schema, work), refs: [...one.refs, ...other.refs.slice(shared.length)] }
}

/** Two lists of alternatives at once are rare: one stays open, and the first branch of the other is used. */
function apart(schema: Fields): { schema: Fields; branches: unknown[] | undefined } {
  const { anyOf, oneOf, ...rest } = schema
  if (Array.isArray(anyOf) && Array.isArray(oneOf)) return { schema: { ...rest, allOf: [oneOf[0]] }, branches: anyOf }
  const branches = Array.isArray(anyOf) ? anyOf : oneOf
  return { schema: rest, branches: Array.isArray(branches) ? branches : undefined }
}

function pointed(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined
  const steps = decoded(ref.slice(1)).split('/').slice(1)
  return steps.map(unescaped).reduce<unknown>(inside, root)
}

function inside(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)]
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function merge(one: Fields, other: Fields, work: SchemaWork): Fields {
  const merged = { ...one, ...other }
  if (one.properties && other.properties) merged.properties = mergeProperties(one.properties, other.properties, work)
  if (one.required && other.required) {
    merged.required = [...listOf(one.required), ...listOf(other.required)]
    work.stepsLeft -= listOf(merged.required).length
  }
  return merged
}

function mergeProperties(one: unknown, other: unknown, work: SchemaWork): Fields {
  const entries = [...Object.entries(recordOf(one)), ...Object.entries(recordOf(other))]
  work.stepsLeft -= entries.length
  const merged = new Map<string, unknown>()
  for (const [name, schema] of entries) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), schema] } : schema)
  }
  return Object.fromEntries(merged)
}
