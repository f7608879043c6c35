import type { TSchema } from '../../schema/type.ts'
import type { Schema, Schemas } from './shape.ts'

/** A schema as plain JSON Schema. Whatever has a title becomes a component, once, and is referred to. */
export function printSchema(schema: TSchema | Schema, schemas: Schemas): Schema {
  const plain = withParts(schema as Schema, (part) => printSchema(part, schemas))
  const { title } = plain
  if (title === undefined) return plain
  if (schemas[title] && JSON.stringify(schemas[title]) !== JSON.stringify(plain))
    throw new Error(`Two schemas are called ${title}`)
  schemas[title] = plain
  return { $ref: `#/components/schemas/${title}` }
}

/** Copies what is enumerable; typebox keeps its own marks where this does not reach. */
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
