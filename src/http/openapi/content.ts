import type { TSchema } from '../../base/schema/type.ts'
import { EXAMPLES } from './examples.ts'
import { printSchema } from './print-schema.ts'
import type { Content, Schema, Schemas } from '../../contract/openapi/document.ts'

export function contentOf(schema: TSchema, schemas: Schemas, contentType = 'application/json'): Content {
  const example = EXAMPLES[(schema as Schema).title ?? '']
  return { [contentType]: { schema: printSchema(schema, schemas), ...(example !== undefined && { example }) } }
}
