import type { ModelTraits } from '../model-traits.ts'
import { requestedFormat, type JsonFormat as RequestedFormat } from '../request/requested-format.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { ANSWER_TOOL, jsonInWords } from '../json-answer.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { lowerSchema } from './lower-schema.ts'
import type { FunctionTool, JsonFormat } from './messages-body.ts'

/**
 * How the model is made to answer in JSON: by a schema that is enforced, by a tool that it has to call, or by instructions.
 */
export type AnswerFormat = { format?: JsonFormat; tool?: FunctionTool; instruction?: string }

type Circumstances = { hasTools: boolean; canForce: boolean; traits: ModelTraits | undefined }

export function answerFormat(fields: RequestFields, around: Circumstances, notes: Notes): AnswerFormat {
  const requested = requestedFormat(fields, notes)
  if (!requested) return {}
  if (!requested.schema) return inWords(undefined, 'this provider supports JSON only with a schema', notes)
  return bySchema(described(requested.schema, requested), around, notes)
}

function described(schema: Fields, { description }: RequestedFormat): Fields {
  return description ? { description, ...schema } : schema
}

function bySchema(schema: Fields, { hasTools, canForce, traits }: Circumstances, notes: Notes): AnswerFormat {
  const lacks = traits?.lacks ?? []
  const lowered = lowerSchema(schema)
  const why =
    lacks.includes('json_schema') || (hasTools && lacks.includes('json_schema_with_tools')) ? LACKING : lowered.why
  if (why === undefined) {
    if (lowered.weakened.length > 0)
      notes.translated('response_format', `moved to descriptions: ${lowered.weakened.join(', ')}`)
    return { format: { type: 'json_schema', schema: lowered.schema } }
  }
  return !hasTools && canForce && schema.type === 'object' ? byTool(schema, why, notes) : inWords(schema, why, notes)
}

const LACKING = 'this model does not support schemas'

function byTool(schema: Fields, why: string, notes: Notes): AnswerFormat {
  notes.translated('response_format', `${why}: the model has to call a tool whose input is the answer`)
  const input_schema = schema as FunctionTool['input_schema']
  return { tool: { name: ANSWER_TOOL, description: 'Returns the answer. Call it exactly once.', input_schema } }
}

function inWords(schema: Fields | undefined, why: string, notes: Notes): AnswerFormat {
  notes.translated('response_format', `${why}: the system text asks for it`)
  return { instruction: jsonInWords(schema) }
}
