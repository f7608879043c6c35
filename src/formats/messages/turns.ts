import type { ContentPart, Message } from '../../contract/chat.ts'
import type { MessagesRequest, MessageTurn } from '../../contract/messages.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../record.ts'
import { contentParts } from './content-parts.ts'
import { isOwnThought, unseal } from '../sealed-thoughts.ts'

/** How the conversation will be read: by whom, and whether they know more than the plain chat wire does. */
export type Readers = {
  /** Some reader speaks the plain chat wire, which may refuse fields that it does not know. */
  plain: boolean
  providers: readonly string[]
}

export function systemMessages({ system }: MessagesRequest, readers: Readers): Message[] {
  if (!system?.length) return []
  return [{ role: 'system', content: contentOf(system, readers) }]
}

/** Results of tools have messages of their own, and stand before what else their turn says. */
export function turnMessages(turn: MessageTurn, readers: Readers): Message[] {
  const { role, content, cache_control } = turn as MessageTurn & Fields
  const marked = !readers.plain && isRecord(cache_control) ? { cache_control } : {}
  if (typeof content === 'string') return [{ role, content, ...marked }]
  const messages = role === 'assistant' ? assistantMessage(content, readers) : userMessages(role, content, readers)
  if (messages.length > 0) Object.assign(messages.at(-1)!, marked)
  return messages
}

function userMessages(role: 'user' | 'system', blocks: readonly Fields[], readers: Readers): Message[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => toolResult(block, readers))
  const said = contentParts(
    blocks.filter(({ type }) => type !== 'tool_result'),
    !readers.plain,
  )
  const rest = [...results.flatMap(({ beside }) => beside), ...said]
  const messages = results.map(({ message }) => message)
  return rest.length > 0 ? [...messages, { role, content: plainest(rest) }] : messages
}

/** Most chat wires take only text from a tool: what else it gave follows as the user's, with a word on where it is from. */
function toolResult(block: Fields, { plain }: Readers): { message: Message; beside: ContentPart[] } {
  const { content, tool_use_id, is_error } = block
  const parts = typeof content === 'string' ? [text(content)] : contentParts(recordsIn(content), !plain)
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = parts.filter(({ type }) => type !== 'text')
  const said = texts.join('\n') || (media.length > 0 ? 'The result follows.' : '')
  const isToldPlainly = plain && is_error === true && !/^error/i.test(said)
  const message = {
    role: 'tool' as const,
    tool_call_id: textOf(tool_use_id),
    content: isToldPlainly ? `Error: ${said}` : said,
    ...(!plain && is_error === true && { is_error }),
    ...(!plain && isRecord(block.cache_control) && { cache_control: block.cache_control }),
  }
  const label = media.length > 0 ? [text(`Result of the tool call ${textOf(tool_use_id)}:`)] : []
  return { message, beside: [...label, ...media] }
}

function assistantMessage(blocks: readonly Fields[], readers: Readers): Message[] {
  const parts = contentParts(
    blocks.filter(({ type }) => type === 'text'),
    !readers.plain,
  )
  const tool_calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCall)
  const details = blocks.flatMap((block) => thoughtsIn(block, readers))
  if (parts.length + tool_calls.length + details.length === 0) return []
  return [
    {
      role: 'assistant',
      content: parts.length > 0 ? joined(parts) : tool_calls.length > 0 ? null : '',
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(details.length > 0 && { reasoning_details: details }),
    },
  ]
}

function toolCall({ id, name, input }: Fields) {
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: JSON.stringify(input ?? {}) } }
}

function thoughtsIn({ type, thinking, signature, data }: Fields, { plain, providers }: Readers): Fields[] {
  if (type !== 'thinking' && type !== 'redacted_thinking') return []
  const sealed = unseal(type === 'thinking' ? signature : data, providers)
  if (sealed.length > 0 || plain) return sealed
  const own = type === 'thinking' ? { thinking: textOf(thinking), signature } : { data }
  const detail = { type: `anthropic.${type}`, ...own }
  return (signature || data) && isOwnThought(detail) ? [detail] : []
}

function contentOf(content: string | readonly Fields[], { plain }: Readers): Message['content'] {
  return typeof content === 'string' ? content : plainest(contentParts(content, !plain))
}

/** One text without a mark is plain text: every wire takes that. */
function plainest(parts: ContentPart[]): Message['content'] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && !only.cache_control ? only.text : parts
}

/** Pieces of one answer: providers cut it where a source is cited. */
function joined(parts: ContentPart[]): Message['content'] {
  if (parts.some(({ cache_control }) => cache_control)) return parts
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function text(value: string): ContentPart & { type: 'text' } {
  return { type: 'text', text: value }
}
