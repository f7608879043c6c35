import type { Notes } from '../notes.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import type { RequestFields } from './request-fields.ts'

/** The caller wants JSON, possibly with a schema. */
export type JsonFormat = { schema?: Fields; name: string; description: string }

/** Undefined means plain text. */
export function requestedFormat({ response_format: format }: RequestFields, notes: Notes): JsonFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { name: '', description: '' }
  if (format.type === 'json_schema') return bySchema(recordOf(format.json_schema), notes)
  notes.dropped('response_format', 'this provider has no such format')
  return undefined
}

function bySchema({ schema, name, description }: Fields, notes: Notes): JsonFormat {
  const named = { name: textOf(name), description: textOf(description) }
  if (isRecord(schema)) return { ...named, schema }
  notes.translated('response_format', 'it came without a schema: any JSON is accepted')
  return named
}
