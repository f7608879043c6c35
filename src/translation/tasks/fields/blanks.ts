import type { Static, TSchema } from '../../../base/schema/type.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'

/** Some of the fields of a value, at any depth. */
export type ParamValues<Value> = Value extends readonly (infer Item)[]
  ? ParamValues<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: ParamValues<Value[Key]> }
    : Value

/** Completes a value from the known fields: the others become null or an empty list. */
export function withBlanks<Schema extends TSchema>(
  schema: Schema,
  options: ParamValues<Static<Schema>>,
): Static<Schema> {
  return fill(schema as JsonSchema, options, '') as Static<Schema>
}

function fill(schema: JsonSchema, value: unknown, path: string): unknown {
  if (schema.anyOf) return fillNullable(schema.anyOf, value, path)
  if (schema.type === 'array') return listOf(value).map((item) => fill(schema.items ?? {}, item, `${path}[]`))
  if (schema.properties) return fillObject(schema, value, path)
  // If a provider omits this field, it has not done the task; no default would be true.
  if (value === undefined) throw new Error(`There is no blank for ${path}`)
  return value
}

function fillNullable(branches: JsonSchema[], value: unknown, path: string): unknown {
  if (value === undefined || value === null) return null
  const [only, ...others] = branches.filter((branch) => branch.type !== 'null')
  return only && others.length === 0 ? fill(only, value, path) : value
}

function fillObject({ properties = {}, required = [] }: JsonSchema, value: unknown, path: string): unknown {
  const fields = (value ?? {}) as Record<string, unknown>
  const names = Object.keys(properties).filter((name) => required.includes(name) || fields[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, fill(properties[name]!, fields[name], `${path}.${name}`)]))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
