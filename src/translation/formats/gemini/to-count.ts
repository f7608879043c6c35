import type { GeminiCountRequest } from '../../../contract/gemini/generate-content.ts'
import type { CountTokensRequest } from '../../../contract/tokens.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { uploadIn } from './content-parts.ts'
import { elementsOf, fieldsOf } from './names.ts'
import { toJsonSchema } from './schema.ts'

/** What is to be counted: a whole request, or the fields of one beside each other. */
export function countedRequest(body: GeminiCountRequest): Fields {
  const { generateContentRequest, ...fields } = fieldsOf(body)
  const whole = isRecord(generateContentRequest) ? fieldsOf(generateContentRequest) : fields
  // The path names the model, and caches are in the operator's account, which all callers share.
  const { model: _, cachedContent: __, ...counted } = whole
  return counted
}

/** The same request in the messages format, which the gateway's own counter reads. */
export function toCount({ contents, systemInstruction, tools }: Fields, model: string): CountTokensRequest {
  const messages = elementsOf(contents).map(({ role, parts }) => {
    return { role: role === 'model' ? 'assistant' : 'user', content: elementsOf(parts).flatMap(blockOf) }
  })
  const declared = elementsOf(tools).flatMap(({ functionDeclarations }) => elementsOf(functionDeclarations))
  const system = instructionOf(systemInstruction)
  return {
    model,
    messages,
    ...(system.length > 0 && { system }),
    ...(declared.length > 0 && { tools: declared.map(toolOf) }),
  }
}

function instructionOf(instruction: unknown): Fields[] {
  if (typeof instruction === 'string') return [{ type: 'text', text: instruction }]
  return elementsOf(fieldsOf(instruction).parts).flatMap(blockOf)
}

function blockOf(part: Fields): Fields[] {
  if (typeof part.text === 'string') return [{ type: 'text', text: part.text }]
  if (part.functionCall != null) return [callBlock(fieldsOf(part.functionCall))]
  if (part.functionResponse != null) return [resultBlock(fieldsOf(part.functionResponse))]
  return part.inlineData != null || part.fileData != null ? [fileBlock(part)] : []
}

/** Calls without ids are matched by the name of their function. */
function callBlock({ id, name, args }: Fields): Fields {
  return { type: 'tool_use', id: textOf(id) || name, name, input: args ?? {} }
}

function resultBlock({ id, name, response }: Fields): Fields {
  const text = JSON.stringify(response ?? {})
  return { type: 'tool_result', tool_use_id: textOf(id) || name, content: [{ type: 'text', text }] }
}

function fileBlock({ inlineData, fileData }: Fields): Fields {
  const { mimeType, data } = fieldsOf(inlineData)
  const { mimeType: typeOfFile, fileUri } = fieldsOf(fileData)
  const media_type = textOf(mimeType ?? typeOfFile)
  const source = inlineData == null ? sourceAt(textOf(fileUri)) : { type: 'base64', media_type, data }
  return { type: media_type.startsWith('image/') ? 'image' : 'document', source }
}

function sourceAt(address: string): Fields {
  const file_id = uploadIn(address)
  return file_id === undefined ? { type: 'url', url: address } : { type: 'file', file_id }
}

function toolOf({ name, description, parameters, parametersJsonSchema }: Fields): Fields {
  const schema = parametersJsonSchema ?? (parameters == null ? undefined : toJsonSchema(parameters))
  return { name, description, input_schema: isRecord(schema) ? schema : { type: 'object' } }
}
