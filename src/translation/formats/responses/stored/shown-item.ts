import type { IncludableField } from '../../../../contract/responses/includable.ts'
import { type Fields, isRecord, recordsIn } from '../../../../base/schema/record.ts'

// Stored items as their lists show them.

/** What is only shown to a client that asks for it: in an item of a type, and in a part of a message. */
const IN_ITEMS: readonly [IncludableField, string, string, string?][] = [
  ['web_search_call.action.sources', 'web_search_call', 'action', 'sources'],
  ['code_interpreter_call.outputs', 'code_interpreter_call', 'outputs'],
  ['computer_call_output.output.image_url', 'computer_call_output', 'output', 'image_url'],
  ['file_search_call.results', 'file_search_call', 'results'],
  ['reasoning.encrypted_content', 'reasoning', 'encrypted_content'],
]
const IN_PARTS: readonly [IncludableField, string, string][] = [
  ['message.input_image.image_url', 'input_image', 'image_url'],
  ['message.output_text.logprobs', 'output_text', 'logprobs'],
]

export function shownItem(item: Fields, include: readonly string[]): Fields {
  const { type = 'message' } = item
  if (type === 'message') return shownMessage(item, include)
  const hidden = IN_ITEMS.find(([name, of]) => of === type && !include.includes(name))
  const shown = hidden ? without(item, hidden[2], hidden[3]) : item
  return type === 'function_call' ? { status: 'completed', ...shown } : shown
}

/** Clients expect a message to have a status and a list of parts, also if it was sent as a text. */
function shownMessage({ role = 'user', content, ...rest }: Fields, include: readonly string[]): Fields {
  const parts = typeof content === 'string' ? [textPart(role, content)] : recordsIn(content)
  const shown = parts.map((part) => {
    const hidden = IN_PARTS.find(([name, of]) => of === part.type && !include.includes(name))
    return hidden ? without(part, hidden[2]) : part
  })
  return { type: 'message', status: 'completed', ...rest, role, content: shown }
}

function textPart(role: unknown, text: string): Fields {
  return role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text }
}

function without(fields: Fields, name: string, inner?: string): Fields {
  const { [name]: value, ...rest } = fields
  if (inner === undefined) return rest
  return isRecord(value) ? { ...rest, [name]: without(value, inner) } : fields
}
