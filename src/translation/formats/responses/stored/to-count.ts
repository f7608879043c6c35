import type { ResponsesRequest } from '../../../../contract/responses.ts'
import type { CountTokensRequest } from '../../../../contract/tokens.ts'
import { tryParse } from '../../../json/try-parse.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../../base/schema/record.ts'

/** The same request in the messages format, which the gateway's own counter reads. */
export function toCount(body: Pick<ResponsesRequest, 'model' | 'instructions' | 'tools'>, items: readonly Fields[]) {
  const tools = recordsIn(body.tools).flatMap(toolOf)
  const request: CountTokensRequest = {
    model: body.model,
    messages: items.flatMap(messageOf),
    ...(body.instructions && { system: body.instructions }),
    ...(tools.length > 0 && { tools }),
  }
  return request
}

function messageOf(item: Fields): CountTokensRequest['messages'] {
  const { type = 'message', role, content, call_id, name, summary } = item
  if (type === 'message') return [{ role: role === 'assistant' ? role : 'user', content: blocksOf(content) }]
  if (type === 'function_call' || type === 'custom_tool_call') {
    const input = type === 'function_call' ? recordOf(tryParse(textOf(item.arguments))) : { input: item.input }
    return [{ role: 'assistant', content: [{ type: 'tool_use', id: call_id, name, input }] }]
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: call_id, content: blocksOf(item.output) }] }]
  return type === 'reasoning' ? [{ role: 'assistant', content: blocksOf(summary) }] : []
}

function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return recordsIn(content).flatMap(blockOf)
}

function blockOf(part: Fields): Fields[] {
  const text = part.text ?? part.refusal
  if (typeof text === 'string') return [{ type: 'text', text }]
  const file_id = textOf(part.file_id)
  const file = file_id && { type: 'file', file_id }
  if (part.type === 'input_image') return [{ type: 'image', source: file || sourceOf(urlOf(part.image_url)) }]
  if (part.type === 'input_file')
    return [{ type: 'document', source: file || sourceOf(textOf(part.file_data ?? part.file_url)) }]
  return []
}

function urlOf(image: unknown): string {
  return isRecord(image) ? textOf(image.url) : textOf(image)
}

function sourceOf(address: string): Fields {
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(address) ?? []
  return data === undefined ? { type: 'url', url: address } : { type: 'base64', media_type, data }
}

/** Tools that the provider runs itself have no schema here, so an estimate does not contain them. */
function toolOf({ type, name, description, parameters }: Fields): Fields[] {
  if (type !== 'function' && type !== 'custom') return []
  return [{ name, description, input_schema: isRecord(parameters) ? parameters : { type: 'object' } }]
}
