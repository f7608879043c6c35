import type { Static, TSchema } from '../contract/type.ts'
import type { JsonSchema } from '../contract/json-schema.ts'

/** Some of the fields of a value, at every depth. */
export type Given<Value> = Value extends readonly (infer Item)[]
  ? Given<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: Given<Value[Key]> }
    : Value

/** A whole value from the fields that are known: the others are null, or an empty list. */
export function withBlanks<Schema extends TSchema>(schema: Schema, given: Given<Static<Schema>>): Static<Schema> {
  return fill(schema as JsonSchema, given, '') as Static<Schema>
}

function fill(schema: JsonSchema, given: unknown, place: string): unknown {
  if (schema.anyOf) return fillNullable(schema.anyOf, given, place)
  if (schema.type === 'array') return listOf(given).map((item) => fill(schema.items ?? {}, item, `${place}[]`))
  if (schema.properties) return fillObject(schema, given, place)
  // A provider that leaves this out has not answered the task: nothing that could be made up would be true.
  if (given === undefined) throw new Error(`There is no blank for ${place}`)
  return given
}

function fillNullable(branches: JsonSchema[], given: unknown, place: string): unknown {
  if (given === undefined || given === null) return null
  const [only, ...others] = branches.filter((branch) => branch.type !== 'null')
  return only && others.length === 0 ? fill(only, given, place) : given
}

function fillObject({ properties = {}, required = [] }: JsonSchema, given: unknown, place: string): unknown {
  const known = (given ?? {}) as Record<string, unknown>
  const names = Object.keys(properties).filter((name) => required.includes(name) || known[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, fill(properties[name]!, known[name], `${place}.${name}`)]))
}

function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : []
}
