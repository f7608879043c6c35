import type { TNull, TSchema, TUnion } from '../../base/schema/type.ts'
import { nullable } from '../../base/schema/fields.ts'

/** Required nullable fields of one type, by name with their descriptions. */
export function nullableFields<Schema extends TSchema, Name extends string>(
  schema: Schema,
  descriptions: Record<Name, string>,
) {
  const fields = Object.entries<string>(descriptions).map(([name, text]) => [name, nullable(schema, text)])
  return Object.fromEntries(fields) as Record<Name, TUnion<[Schema, TNull]>>
}
