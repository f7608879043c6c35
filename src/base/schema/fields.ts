import Type, { type Static, type TSchema, type TSchemaOptions } from './type.ts'

/** The fields in which null means the same as no field. */
const absentIfNull = new WeakSet<object>()

/** A field that may be absent or null; both mean the same. */
export function optional<Schema extends TSchema>(schema: Schema, description: string, options: TSchemaOptions = {}) {
  const field = Type.Optional(nullable(schema, description, options))
  absentIfNull.add(field)
  return field
}

export function isAbsentIfNull(field: object): boolean {
  return absentIfNull.has(field)
}

/** A field that is always present but may be null. */
export function nullable<Schema extends TSchema>(schema: Schema, description: string, options: TSchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], { description, ...options })
}

/** A field that is passed on as it is. `usual` is the type that the OpenAPI document prints. */
export function unchecked(usual: TSchemaOptions, description: string) {
  return Type.Optional(Type.Unknown({ description, printed: usual }))
}

/** One of a few fixed strings. */
export function words<const Words extends string[]>(values: readonly [...Words], options: TSchemaOptions = {}) {
  return Type.Enum(values, { type: 'string', ...options })
}

/** An object with arbitrary keys. */
export function freeObject(options: TSchemaOptions = {}) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', ...options })
}

/**
 * An object with arbitrary keys, of which one is known. Inside of a union it needs a name and a field, because generators
 * for Java write `Map<…>` where only a class can stand.
 */
export function openObject(title: string, field: string, description: string) {
  const properties = { [field]: Type.Unknown({ description: 'Depends on the provider.', printed: { type: 'string' } }) }
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    properties,
    additionalProperties: true,
    title,
    description,
  })
}

export function mapOf<Value extends TSchema>(value: Value, options: TSchemaOptions = {}) {
  return Type.Unsafe<Record<string, Static<Value>>>({ type: 'object', additionalProperties: value, ...options })
}

/** For an object that needs exactly one of these keys. JSON Schema has no shorter form for this. */
export function exactlyOneOf(...keys: string[]) {
  return { oneOf: keys.map((key) => ({ required: [key] })) }
}

/** Options of an object that has no other members. */
export const closed = { additionalProperties: false }

/** Options of an object whose further members are passed on. */
export const open = { additionalProperties: true }

/** For a time that may be null; the description is the one of `nullable`. */
export const moment = Type.String({ format: 'date-time' })

export function timestamp(description: string) {
  return Type.String({ format: 'date-time', description })
}

export function uuid(description: string) {
  return Type.String({ format: 'uuid', description })
}

/** A body that is not JSON: the bytes of a file. */
export const BYTES = Type.String({ format: 'binary' })

/** The media type of a stored file is its own; a type that a browser would run is sent as plain bytes. */
export const FILE_TYPES = ['application/octet-stream', '*/*']
