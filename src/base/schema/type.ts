import type * as TypeBox from 'typebox'

export type { Static, TNull, TObject, TProperties, TSchema, TSchemaOptions, TUnion } from 'typebox'

// Schemas are plain JSON Schema; typebox provides their types and checks values. Its own builders load a parser and an
// engine of 300 modules, which are never used and took a fifth of every start. These builders produce the same schemas.

type Schema = Record<string, unknown>
type Properties = Record<string, Schema>
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Omit'
  | 'Optional'
  | 'Pick'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>

/** The schemas of optional fields. JSON Schema says beside the schema, not in it, whether a field is required. */
const optional = new WeakSet<Schema>()

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: Schema) => ({ enum: [...values], ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: object,
  Omit: (from: Schema, keys: readonly string[]) => chosen(from, (key) => !keys.includes(key)),
  Optional: (schema: Schema) => markedOptional({ ...schema }),
  Pick: (from: Schema, keys: readonly string[]) => chosen(from, (key) => keys.includes(key)),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

export default builders as unknown as Builders

function object(properties: Properties, options?: Schema): Schema {
  const required = Object.keys(properties).filter((key) => !optional.has(properties[key]!))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function chosen({ properties }: Schema, isWanted: (key: string) => boolean): Schema {
  const entries = Object.entries(properties as Properties).filter(([key]) => isWanted(key))
  return object(Object.fromEntries(entries))
}

function markedOptional(schema: Schema): Schema {
  optional.add(schema)
  return schema
}
