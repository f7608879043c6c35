import type { TSchema } from '../../../base/schema/type.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'

/** The subset of JSON Schema that providers enforce: no bounds, no formats, no optional fields. */
export type Lowered = {
  type?: string
  description?: string
  properties?: Record<string, Lowered>
  required?: string[]
  additionalProperties?: false
  items?: Lowered
  enum?: unknown[]
  anyOf?: Lowered[]
}

type Described = JsonSchema & { description?: string }

/**
 * A schema for a chat model. `strict` says whether a provider can enforce it, which requires a fixed list of keys in every
 * object.
 */
export function lowerSchema(schema: TSchema): { schema: Lowered; strict: boolean } {
  const lowered = lower(schema as Described)
  return { schema: lowered, strict: isClosed(lowered) }
}

function lower(schema: Described): Lowered {
  const { description } = schema
  return { ...shapeOf(schema), ...(description !== undefined && { description }) }
}

function shapeOf({ type, anyOf, items, properties, required, enum: values, ...rest }: Described): Lowered {
  if (anyOf) return { anyOf: anyOf.map(lower) }
  if ('const' in rest) return { type: type ?? typeof rest.const, enum: [rest.const] }
  if (values) return { type: type ?? typeof values[0], enum: values }
  if (type === 'array') return { type, items: lower(items ?? {}) }
  if (type === 'object' && properties) return lowerObject(properties, required ?? [])
  return type === undefined ? {} : { type }
}

/** Optional fields become required and nullable. */
function lowerObject(properties: Record<string, JsonSchema>, required: string[]): Lowered {
  const fields = Object.entries(properties).map(([name, property]) => {
    return [name, required.includes(name) ? lower(property) : orNull(lower(property))] as const
  })
  const names = fields.map(([name]) => name)
  return { type: 'object', properties: Object.fromEntries(fields), required: names, additionalProperties: false }
}

function orNull(schema: Lowered): Lowered {
  if (schema.anyOf?.some(({ type }) => type === 'null')) return schema
  const { description, ...bare } = schema
  return { anyOf: [bare, { type: 'null' }], ...(description !== undefined && { description }) }
}

function isClosed({ type, anyOf, enum: values, items, properties }: Lowered): boolean {
  if (anyOf) return anyOf.every(isClosed)
  if (type === 'object') return properties !== undefined && Object.values(properties).every(isClosed)
  return type === 'array' ? isClosed(items ?? {}) : type !== undefined || values !== undefined
}
