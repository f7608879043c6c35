import type { TSchema } from '../../base/schema/type.ts'
import { portable } from './portable.ts'
import type { Schema, Schemas } from '../../contract/openapi/document.ts'

/** The schema of which a component was printed, and how. */
const sources = new WeakMap<Schema, { schema: TSchema | Schema; isWithoutNull: boolean }>()

/**
 * Converts a schema to plain JSON Schema. A schema with a title becomes a component, once, and is referred to. `portable` says
 * what `isWithoutNull` means.
 */
export function printSchema(schema: TSchema | Schema, schemas: Schemas, isWithoutNull = false): Schema {
  const printed = schemas[(schema as Schema).title ?? '']
  const source = printed && sources.get(printed)
  // Some schemas are used a hundred times.
  if (source?.schema === schema && source.isWithoutNull === isWithoutNull) return referenceTo(printed!.title!)
  const parts = withParts(portable(schema as Schema, isWithoutNull), (part) =>
    printSchema(part, schemas, isWithoutNull),
  )
  const plain = withoutChoiceOfOne(parts)
  const { title } = plain
  if (title === undefined) return plain
  if (schemas[title] && JSON.stringify(schemas[title]) !== JSON.stringify(plain))
    throw new Error(`Two schemas are called ${title}`)
  schemas[title] = plain
  sources.set(plain, { schema, isWithoutNull })
  return referenceTo(title)
}

/** `{ anyOf: [one], description }` is the one, with the description of the field. */
function withoutChoiceOfOne(schema: Schema): Schema {
  const { anyOf = [], ...rest } = schema
  return anyOf.length === 1 ? { ...anyOf[0], ...rest } : schema
}

function referenceTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` }
}

/** Copies only enumerable properties, so typebox's own markers are left out. */
function withParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, anyOf, additionalProperties, if: condition } = schema
  return {
    ...schema,
    ...(properties && { properties: eachOf(properties, change) }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(condition && { if: change(condition) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
  }
}

function eachOf(properties: Record<string, Schema>, change: (part: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, change(part)]))
}
