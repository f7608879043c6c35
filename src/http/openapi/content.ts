import type { TSchema } from '../../base/schema/type.ts'
import { EXAMPLES } from './examples.ts'
import { printSchema } from './print-schema.ts'
import type { Content, Schema, Schemas } from '../../contract/openapi/document.ts'

/** `isWithoutNull`: see `portable`. */
export function contentOf(
  schema: TSchema,
  schemas: Schemas,
  { contentType = 'application/json', isWithoutNull = false } = {},
): Content {
  const example = EXAMPLES[(schema as Schema).title ?? '']
  return {
    [contentType]: { schema: printSchema(schema, schemas, isWithoutNull), ...(example !== undefined && { example }) },
  }
}
