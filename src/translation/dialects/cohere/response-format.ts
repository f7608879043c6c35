import type { RequestFields } from '../request/request-fields.ts'
import { requestedFormat } from '../request/requested-format.ts'
import type { Target } from '../chat-codec.ts'
import { jsonInWords } from '../json-answer.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'

/** By a field of the wire format, or by an instruction if that field is not allowed. */
type Format = { field?: Fields; inWords?: string }

export function toFormat(
  fields: RequestFields,
  hasToolsOrDocuments: boolean,
  { traits }: Target,
  notes: Notes,
): Format {
  const format = requestedFormat(fields, notes)
  if (!format) return {}
  const { schema } = format
  const refusesSchema = schema !== undefined && traits?.lacks?.includes('json_schema')
  if (!hasToolsOrDocuments && !refusesSchema)
    return { field: { type: 'json_object', ...(schema && { json_schema: schema }) } }
  notes.translated(
    'response_format',
    'Cohere supports it neither with tools nor with documents: the model is instructed in words',
  )
  return { inWords: jsonInWords(schema) }
}
