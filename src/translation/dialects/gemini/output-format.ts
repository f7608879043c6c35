import type { RequestFields } from '../request/request-fields.ts'
import { requestedFormat } from '../request/requested-format.ts'
import type { Target } from '../chat-codec.ts'
import { jsonInWords } from '../json-answer.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { lowerSchema } from './json-schema.ts'
import type { ToolFields } from './tools.ts'
import type { GenerationConfig } from './wire.ts'

/** The fields of the wire format, and an instruction for what they cannot express. */
type OutputFormat = { config: GenerationConfig; inWords?: string }

const FIELD = 'response_format'
const JSON_TYPE = { responseMimeType: 'application/json' }

export function toOutputFormat(fields: RequestFields, tools: ToolFields, target: Target, notes: Notes): OutputFormat {
  const format = requestedFormat(fields, notes)
  if (!format) return { config: {} }
  const { schema } = format
  if (tools.tools?.some((tool) => tool.functionDeclarations)) return besideTools(schema, tools, target, notes)
  if (!schema) return { config: JSON_TYPE }
  if (!target.traits?.lacks?.includes('json_schema')) return { config: schemaConfig(schema, notes) }
  notes.translated(FIELD, 'this model does not support schemas: it is instructed in words')
  return { config: JSON_TYPE, inWords: jsonInWords(schema) }
}

/** Older models refuse JSON together with functions; newer ones accept it unless a call is required. */
function besideTools(
  schema: Fields | undefined,
  { toolConfig }: ToolFields,
  target: Target,
  notes: Notes,
): OutputFormat {
  if (toolConfig?.functionCallingConfig?.mode === 'ANY') {
    notes.dropped(FIELD, 'a function call is required: there is no text to format')
    return { config: {} }
  }
  const lacks = target.traits?.lacks
  if (!lacks?.includes('json_schema_with_tools') && !(schema && lacks?.includes('json_schema')))
    return { config: schema ? schemaConfig(schema, notes) : JSON_TYPE }
  notes.translated(FIELD, 'this model does not support a format together with tools: it is instructed in words')
  return { config: {}, inWords: jsonInWords(schema) }
}

function schemaConfig(schema: Fields, notes: Notes): GenerationConfig {
  const lost = new Set<string>()
  const responseJsonSchema = lowerSchema(schema, lost)
  if (lost.size > 0) notes.translated(FIELD, `Gemini does not enforce: ${[...lost].join(', ')}`)
  return { ...JSON_TYPE, responseJsonSchema }
}
