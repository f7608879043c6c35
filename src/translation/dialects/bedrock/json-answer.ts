import type { RequestFields } from '../request/request-fields.ts'
import { requestedFormat, type JsonFormat } from '../request/requested-format.ts'
import type { RequestedTools } from '../request/requested-tools.ts'
import type { Target } from '../chat-codec.ts'
import { ANSWER_TOOL, jsonInWords } from '../json-answer.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { writeJson } from '../../json/written-numbers.ts'

type JsonAnswer = {
  /** By a field of the wire format. */
  textFormat?: Fields
  /** By a tool that the model has to call. */
  tools?: RequestedTools
  /** By an instruction. */
  inWords?: string
}

export function toJsonAnswer(fields: RequestFields, hasTools: boolean, target: Target, notes: Notes): JsonAnswer {
  const format = requestedFormat(fields, notes)
  if (!format) return {}
  if (format.schema) return bySchema({ ...format, schema: format.schema }, hasTools, target, notes)
  notes.translated('response_format', 'Amazon Bedrock has no such format: the model is instructed in words')
  return { inWords: jsonInWords() }
}

type SchemaFormat = JsonFormat & { schema: Fields }

function bySchema(format: SchemaFormat, hasTools: boolean, { traits }: Target, notes: Notes): JsonAnswer {
  const { schema } = format
  const lacks = traits?.lacks ?? []
  if (!lacks.includes('json_schema') && !(hasTools && lacks.includes('json_schema_with_tools')))
    return { textFormat: textFormat(format) }
  if (hasTools || lacks.includes('tools') || traits?.refuses?.includes('tool_choice')) {
    notes.translated('response_format', 'this model does not support schemas here: it is instructed in words')
    return { inWords: jsonInWords(schema) }
  }
  notes.translated('response_format', 'this model does not support schemas: it has to call a tool with the answer')
  const tool = { name: ANSWER_TOOL, description: 'Returns the answer.', parameters: schema, strict: false }
  return { tools: { tools: [tool], own: [], choice: { mode: 'required', named: ANSWER_TOOL } } }
}

/** The schema is sent as text. */
function textFormat({ name, description, schema }: SchemaFormat): Fields {
  const jsonSchema = { schema: writeJson(schema), ...(name && { name }), ...(description && { description }) }
  return { type: 'json_schema', structure: { jsonSchema } }
}
