import type { ChatRequest, ContentPart, Message } from '../../../../contract/chat.ts'
import { cannotTake } from '../../../dialects/cannot-take.ts'
import type { Notes } from '../../../dialects/notes.ts'
import { earlierBlocks } from '../../../dialects/provider-blocks.ts'
import { imageOf, namesSpeaker } from '../../../dialects/request/messages.ts'
import { type PastCall, PastCalls } from '../../../dialects/request/past-calls.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../../base/schema/record.ts'
import { NO_MARKS } from './chat-tools.ts'
import { isReasoningOf, reasoningItemOf } from '../reasoning-details.ts'
import { shortEnough } from '../call-id.ts'

const PROVIDER = 'the responses endpoint'

type Reading = { calls: PastCalls; customIds: Set<string>; provider: string; notes: Notes }

/** The messages of a chat as items of this format, for this provider. */
export function itemsOfMessages(messages: ChatRequest['messages'], provider: string, notes: Notes): Fields[] {
  const reading = { calls: new PastCalls(PROVIDER), customIds: new Set<string>(), provider, notes }
  return messages.flatMap((message, at) => itemsOf(message, at, reading))
}

function itemsOf(message: Message, at: number, reading: Reading): Fields[] {
  const { role, content } = message
  if (Array.isArray(content) && content.some((part) => part.cache_control))
    reading.notes.dropped('cache_control', NO_MARKS)
  if (namesSpeaker(message)) reading.notes.dropped('messages.name', `${PROVIDER} does not support names of speakers`)
  if (role === 'assistant') return assistantItems(message, at, reading)
  if (role === 'tool' || role === 'function') return [resultItem(message, at, reading)]
  return [{ role, content: contentOf(content, at) }]
}

function assistantItems(message: Message & Fields, at: number, reading: Reading): Fields[] {
  const { calls, customIds, provider, notes } = reading
  const details = recordsIn(message.reasoning_details)
  const own = details.filter((detail) => isReasoningOf(detail, provider))
  if (own.length < details.length) notes.dropped('messages.reasoning_details', 'they are signed for another provider')
  const messages = earlierBlocks(message, 'responses', notes)?.flatMap(blockItem) ?? messageItems(message)
  const made = calls.made(message, at)
  for (const { id, call } of made) if (isCustom(call)) customIds.add(id)
  const items = [...messages, ...made.map(callItem)]
  // Reasoning that led to nothing is refused.
  return items.length > 0 ? [...own.map(reasoningItemOf), ...items] : []
}

function blockItem({ type, text, item }: Fields): Fields[] {
  if (type === 'text') return [messageItem([textPart(textOf(text))])]
  return isRecord(item) ? [item] : []
}

function messageItems({ content, refusal }: Message & Fields): Fields[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsIn(content)
  const texts = parts.flatMap((part) => (part.type === 'text' && part.text ? [textPart(textOf(part.text))] : []))
  const refused = [refusal, ...parts.map((part) => part.refusal)].filter((one) => textOf(one) !== '')
  const all = [...texts, ...refused.map((one) => ({ type: 'refusal', refusal: one }))]
  return all.length > 0 ? [messageItem(all)] : []
}

function messageItem(content: Fields[]): Fields {
  return { type: 'message', role: 'assistant', content }
}

function textPart(text: string): Fields {
  return { type: 'output_text', text, annotations: [] }
}

function isCustom(call: Fields): boolean {
  return isRecord(call.custom) && !call.function
}

function callItem({ id, name, arguments: json, call }: PastCall): Fields {
  const call_id = shortEnough(id)
  if (!isCustom(call)) return { type: 'function_call', call_id, name, arguments: json }
  return { type: 'custom_tool_call', call_id, name, input: textOf((call.custom as Fields).input) }
}

function resultItem(message: Message, at: number, { calls, customIds }: Reading): Fields {
  const { id } = calls.answered(message, at)
  const type = customIds.has(id) ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id: shortEnough(id), output: contentOf(message.content, at) }
}

function contentOf(content: Message['content'], at: number): string | Fields[] {
  if (!Array.isArray(content)) return content ?? ''
  return content.map((part, index) => partOf(part, ['messages', at, 'content', index]))
}

function partOf(part: ContentPart, loc: (string | number)[]): Fields {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'refusal') return { type: 'input_text', text: part.refusal }
  if (part.type === 'image_url') {
    const { url, detail = 'auto' } = imageOf(part)
    return { type: 'input_image', image_url: url, detail }
  }
  if (part.type === 'file') return filePart(part.file)
  throw cannotTake(loc, `${PROVIDER} of the provider does not accept ${textOf((part as Fields).type)}`)
}

function filePart({ file_id, file_data, filename }: Fields): Fields {
  const named = textOf(filename) ? { filename } : {}
  if (file_data === undefined) return { type: 'input_file', file_id }
  const isUrl = textOf(file_data).startsWith('data:')
  return { type: 'input_file', filename: 'file.pdf', ...named, file_data: isUrl ? file_data : asPdf(file_data) }
}

/** Bare base64 has always been taken for a PDF by providers of the chat format. */
function asPdf(base64: unknown): string {
  return `data:application/pdf;base64,${base64}`
}
