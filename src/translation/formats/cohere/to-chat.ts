import type { ChatRequest, Message } from '../../../contract/chat.ts'
import type { CohereChatRequest } from '../../../contract/cohere/chat.ts'
import { cannotTake } from '../../dialects/cannot-take.ts'
import type { DropNotes, NativeAsk, OtherTarget } from '../../wire/native-ask.ts'
import { plainChat } from '../plain-chat.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { keepWritten, writeJson } from '../../json/written-numbers.ts'

// Cohere's format for chats: https://docs.cohere.com/reference/chat

/** Fields that only models of Cohere understand, and that others can do without. */
const OWN_FIELDS = ['citation_options', 'safety_mode', 'priority'] as const
const CHOICES = { REQUIRED: 'required', NONE: 'none' } as const

/** The chat in our own format, with what only models of Cohere understand. */
export function toChat(body: CohereChatRequest): ChatRequest {
  const { messages, tool_choice, strict_tools, stop_sequences, p, k, tools, documents, ...rest } = body
  const request = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null)),
    model: body.model,
    messages: messages.map(toMessage),
    ...(tools?.length && { tools: strict_tools ? tools.map(strict) : tools }),
    ...(tool_choice && { tool_choice: CHOICES[tool_choice] }),
    ...(stop_sequences?.length && { stop: stop_sequences }),
    ...(p != null && { top_p: p }),
    ...(k && { top_k: k }),
    ...(documents?.length && { documents }),
    ...(body.stream && { stream_options: { include_usage: true } }),
    ...formatOf(body),
  }
  return keepWritten(request as ChatRequest, body)
}

/** How the request is sent to each target. */
export function nativeAsk(body: CohereChatRequest): NativeAsk {
  const reason = 'only models of Cohere cite documents'
  return {
    format: 'cohere',
    body,
    fit: fitChat,
    ...(body.documents?.length && { untranslatable: [{ field: 'documents', reason }] }),
  }
}

function fitChat(request: ChatRequest, { plain, keepsMarks }: OtherTarget, notes: DropNotes): ChatRequest {
  const fields = { ...request } as ChatRequest & Fields
  for (const field of OWN_FIELDS) {
    if (fields[field] != null) notes.dropped(field, 'only models of Cohere understand it')
    delete fields[field]
  }
  return plain ? plainChat(fields, { topK: 'k', keepsMarks }, notes) : fields
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
