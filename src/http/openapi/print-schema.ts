import type { TSchema } from '../../base/schema/type.ts'
import { portable } from './portable.ts'
import type { Schema, Schemas } from '../../contract/openapi/document.ts'

/** The schema of which a component was printed. */
const sources = new WeakMap<Schema, TSchema | Schema>()

/** Converts a schema to plain JSON Schema. A schema with a title becomes a component, once, and is referred to. */
export function printSchema(schema: TSchema | Schema, schemas: Schemas): Schema {
  const known = schemas[(schema as Schema).title ?? '']
  // Some schemas are used a hundred times.
  if (known && sources.get(known) === schema) return referenceTo(known.title!)
  const plain = withParts(portable(schema as Schema), (part) => printSchema(part, schemas))
  const { title } = plain
  if (title === undefined) return plain
  if (schemas[title] && JSON.stringify(schemas[title]) !== JSON.stringify(plain))
    throw new Error(`Two schemas are called ${title}`)
  schemas[title] = plain
  sources.set(plain, schema)
  return referenceTo(title)
}

function referenceTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` }
}

/** Copies only enumerable properties, so typebox's own markers are left out. */
function withParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, anyOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && { properties: eachOf(properties, change) }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
  }
}

function eachOf(properties: Record<string, Schema>, change: (part: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, change(part)]))
}
