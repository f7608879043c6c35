import type { TSchema } from '../../base/schema/type.ts'
import type { JsonSchema } from '../../base/schema/json-schema.ts'

type SimplifiedType =
  | 'string'
  | 'int'
  | 'float'
  | 'bool'
  | 'enum'
  | 'uuid'
  | 'file_input'
  | 'object'
  | 'array'
  | 'dict'
  | 'any'

/** Descriptions are annotations, which the validator's types do not include. */
type Described = JsonSchema & { properties?: Record<string, JsonSchema & { description?: string }> }

type Shape = { type: SimplifiedType; enum?: unknown[]; items?: Shape; fields?: SimplifiedField[] }
export type SimplifiedField = { name: string; required: boolean; description: string } & Shape
export type SimplifiedSchema = { fields: SimplifiedField[] }

const SCALARS: Partial<Record<string, SimplifiedType>> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
}
const FORMATS: Partial<Record<string, SimplifiedType>> = { uuid: 'uuid', 'file-input': 'file_input' }

/** A schema for people and for programs that build forms: fields with types, without unions and keywords. */
export function simplifiedSchema(schema: TSchema): SimplifiedSchema {
  return { fields: fieldsOf(schema as Described) }
}

/** A schema as plain JSON, without typebox's internal marks. */
export function jsonSchema(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema))
}

function fieldsOf({ properties = {}, required = [] }: Described): SimplifiedField[] {
  return Object.entries(properties).map(([name, property]) => {
    const { type, ...inside } = shapeOf(property)
    return { name, type, required: required.includes(name), description: property.description ?? '', ...inside }
  })
}

function shapeOf(schema: JsonSchema): Shape {
  const intended = withoutNull(schema)
  const { type, format = '', enum: values, items, properties } = intended
  if (values) return { type: 'enum', enum: values }
  if (type === 'array') return { type: 'array', items: shapeOf(items ?? {}) }
  if (type === 'object') return properties ? { type: 'object', fields: fieldsOf(intended) } : { type: 'dict' }
  return { type: FORMATS[format] ?? SCALARS[type ?? ''] ?? 'any' }
}

/** The non-null branch of a nullable field; a real union becomes "any". */
function withoutNull(schema: JsonSchema): JsonSchema {
  const [only, ...others] = schema.anyOf?.filter((branch) => branch.type !== 'null') ?? []
  return only && others.length === 0 ? only : schema
}
