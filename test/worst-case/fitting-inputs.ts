import type { TSchema } from '../../src/base/schema/type.ts'
import type { JsonSchema } from '../../src/base/schema/json-schema.ts'
import type { TextShape } from './text-shapes.ts'

// Values that a schema accepts and that are as large as the limits on JSON allow.

const MAX_ITEMS = 190_000
const MAX_KEYS = 49_000
const MIN_BYTES_OF_ITEM = 8

export type Size = { bytes: number; items?: number; shape: TextShape }

/** The largest value of this schema with about this many bytes. */
export function fittingValue(schema: TSchema, size: Size): unknown {
  return fit(schema as JsonSchema, size)
}

function fit(schema: JsonSchema, size: Size): unknown {
  const { type, anyOf, minimum, maximum } = schema
  if (schema.enum) return schema.enum.at(-1)
  if (anyOf) return fit(anyOf.find(isLarge) ?? anyOf[0]!, size)
  if (type === 'string') return size.shape.text(Math.min(schema.maxLength ?? size.bytes, size.bytes))
  if (type === 'array') return aList(schema, size)
  if (type === 'object') return anObject(schema, size)
  return type === 'boolean' ? true : (maximum ?? minimum ?? Number.MAX_SAFE_INTEGER)
}

function isLarge({ type }: JsonSchema): boolean {
  return type === 'array' || type === 'object' || type === 'string'
}

/** A list of many small items. */
function aList({ items = {}, maxItems = MAX_ITEMS }: JsonSchema, { bytes, shape, ...size }: Size): unknown[] {
  const width = items.type === 'array' || items.type === 'object' ? 3 : 1
  const max = Math.floor(Math.min(maxItems, size.items ?? MAX_ITEMS, bytes / MIN_BYTES_OF_ITEM) / width)
  const item = fit(items, { shape, bytes: Math.floor(bytes / Math.max(1, max)), items: 2 })
  return Array.from({ length: Math.max(items.type === 'array' ? 1 : 0, max) }, () => item)
}

function anObject({ properties }: JsonSchema, size: Size): unknown {
  const fields = Object.entries(properties ?? {})
  if (fields.length === 0) return manyKeys(size)
  const share = { ...size, bytes: Math.floor(size.bytes / fields.length) }
  return Object.fromEntries(fields.map(([name, schema]) => [name, fit(schema, share)]))
}

function manyKeys({ bytes, shape }: Size): Record<string, string> {
  const count = Math.min(MAX_KEYS, Math.floor(bytes / 16))
  const text = shape.text(Math.floor(bytes / count / 2))
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}${text}`, text]))
}
