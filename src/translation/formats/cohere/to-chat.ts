import type { ChatRequest, Message } from '../../../contract/chat.ts'
import type { CohereChatRequest } from '../../../contract/cohere/chat.ts'
import { cannotTake } from '../../dialects/cannot-take.ts'
import type { Note } from '../../dialects/chat-codec.ts'
import { Notes } from '../../dialects/notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { keepWritten, writeJson } from '../../json/written-numbers.ts'

// Cohere's format for chats: https://docs.cohere.com/reference/chat

/** Fields that only models of Cohere understand, and that others can do without. */
const OWN_FIELDS = ['citation_options', 'safety_mode', 'priority', 'thinking'] as const
const CHOICES = { REQUIRED: 'required', NONE: 'none' } as const

/** `isCoheres`: only Cohere may answer. `plain`: one of the targets may use a chat dialect, which has no `top_k`. */
type Targets = { isCoheres: boolean; plain: boolean }

/** The chat in our own format, and notes about what its model does not get. */
export function toChat(
  body: CohereChatRequest,
  { isCoheres, plain }: Targets,
): { request: ChatRequest; notes: Note[] } {
  const { messages, tool_choice, strict_tools, stop_sequences, p, k, tools, documents, ...rest } = body
  if (documents?.length && !isCoheres) throw cannotTake(['documents'], 'only models of Cohere cite documents')
  const lost = isCoheres ? [] : OWN_FIELDS.filter((field) => (rest as Fields)[field] != null)
  const members = Object.entries(rest).filter(([field, value]) => value != null && !lost.some((one) => one === field))
  const request = {
    ...Object.fromEntries(members),
    model: body.model,
    messages: messages.map(toMessage),
    ...(tools?.length && { tools: strict_tools ? tools.map(strict) : tools }),
    ...(tool_choice && { tool_choice: CHOICES[tool_choice] }),
    ...(stop_sequences?.length && { stop: stop_sequences }),
    ...(p != null && { top_p: p }),
    ...(k && !plain && { top_k: k }),
    ...(documents?.length && { documents }),
    ...(body.stream && { stream_options: { include_usage: true } }),
    ...formatOf(body),
  }
  const notes = new Notes()
  for (const field of lost) notes.dropped(field, 'only models of Cohere understand it')
  if (k && plain) notes.dropped('k', 'chat completions do not have it')
  return { request: keepWritten(request as ChatRequest, body), notes: notes.list }
}

function toMessage(
  { role, content, tool_calls, tool_plan, tool_call_id }: CohereChatRequest['messages'][number],
  at: number,
) {
  const parts = Array.isArray(content) ? content.flatMap((block, index) => toPart(block, at, index)) : content
  const reasoning = [tool_plan, ...(Array.isArray(content) ? content.map(({ thinking }) => textOf(thinking)) : [])]
  const reasoning_content = reasoning.filter(Boolean).join('\n')
  return {
    role,
    content: parts ?? null,
    ...(tool_calls?.length && { tool_calls }),
    ...(reasoning_content && { reasoning_content }),
    ...(tool_call_id != null && { tool_call_id }),
  } as Message
}

/** Documents among the results of tools are texts elsewhere. */
function toPart(block: Fields, at: number, index: number): Fields[] {
  if (block.type === 'text') return [{ type: 'text', text: textOf(block.text) }]
  if (block.type === 'image_url') return [{ type: 'image_url', image_url: block.image_url }]
  if (block.type === 'thinking') return []
  if (block.type === 'document') return [{ type: 'text', text: writeJson(block.document ?? null) }]
  throw cannotTake(['messages', at, 'content', index], 'a block is a text, an image, a document or reasoning here')
}

function strict(tool: Fields): Fields {
  return { ...tool, function: { ...(tool.function as Fields), strict: true } }
}

/** Cohere writes the schema beside the type. */
function formatOf({ response_format }: CohereChatRequest): Fields {
  const { type, json_schema, schema } = (response_format ?? {}) as Fields
  const given = json_schema ?? schema
  if (type !== 'json_object' || given == null) return {}
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: given } } }
}
