import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { MessagesRequest, MessageTurn } from '../../../contract/messages.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { unpackContent } from '../../dialects/packed-content.ts'
import { contentParts } from './content-parts.ts'
import { isOwnReasoning, isSealed, unseal } from '../sealed-reasoning.ts'
import { contentOfTurn } from './step-blocks.ts'
import { writeJson } from '../../json/written-numbers.ts'

export function systemMessages({ system }: MessagesRequest): Message[] {
  if (!system?.length) return []
  return [{ role: 'system', content: contentOf(system) }]
}

/** Tool results become messages of their own, before the rest of their turn. `providers`: those that may read the conversation. */
export function turnMessages(turn: MessageTurn, providers: readonly string[]): Message[] {
  const { role, content, cache_control } = turn as MessageTurn & Fields
  const marked = isRecord(cache_control) ? { cache_control } : {}
  if (typeof content === 'string') return [{ role, content, ...marked }]
  const messages = role === 'assistant' ? assistantMessage(content, providers) : userMessages(role, content)
  if (messages.length > 0) Object.assign(messages.at(-1)!, marked)
  return messages
}

function userMessages(role: 'user' | 'system', blocks: readonly Fields[]): Message[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toolResult)
  const content = contentParts(blocks.filter(({ type }) => type !== 'tool_result'))
  const rest = [...results.flatMap(({ beside }) => beside), ...content]
  const messages = results.map(({ message }) => message)
  return rest.length > 0 ? [...messages, { role, content: plainest(rest) }] : messages
}

/** Most chat formats accept only text from a tool. Other content follows in a user message, with a note about its origin. */
function toolResult(block: Fields): { message: Message; beside: ContentPart[] } {
  const { content, tool_use_id, is_error } = block
  const parts = typeof content === 'string' ? [text(content)] : contentParts(recordsIn(content))
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = parts.filter(({ type }) => type !== 'text')
  const joined = texts.join('\n') || (media.length > 0 ? 'The result follows.' : '')
  const message = {
    role: 'tool' as const,
    tool_call_id: textOf(tool_use_id),
    content: joined,
    ...(is_error === true && { is_error }),
    ...(isRecord(block.cache_control) && { cache_control: block.cache_control }),
  }
  const label = media.length > 0 ? [text(`Result of the tool call ${textOf(tool_use_id)}:`)] : []
  return { message, beside: [...label, ...media] }
}

function assistantMessage(blocks: readonly Fields[], providers: readonly string[]): Message[] {
  const parts = contentParts(blocks.filter(({ type }) => type === 'text'))
  const tool_calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCall)
  const details = blocks.flatMap((block) => reasoningIn(block, { providers }))
  const carried = { ...contentOfTurn(blocks), ...unpackContent(details) }
  if (parts.length + tool_calls.length + Object.keys(carried).length === 0) return []
  return [
    {
      role: 'assistant',
      content: parts.length > 0 ? joined(parts) : tool_calls.length > 0 ? null : '',
      ...(tool_calls.length > 0 && { tool_calls }),
      ...carried,
    },
  ]
}

function toolCall({ id, name, input }: Fields) {
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: writeJson(input ?? {}) } }
}

/** Who may read a conversation. `plain`: through chat completions, which know nothing of Anthropic's signatures. */
export type Readers = { providers: readonly string[]; plain?: boolean }

/** Empty if no target understands the reasoning of the block. */
export function reasoningIn(
  { type, thinking, signature, data }: Fields,
  { providers, plain = false }: Readers,
): Fields[] {
  if (type !== 'thinking' && type !== 'redacted_thinking') return []
  const signed = type === 'thinking' ? signature : data
  // What was sealed for another provider is not Anthropic's own.
  if (isSealed(signed) || plain) return unseal(signed, providers)
  const own = type === 'thinking' ? { thinking: textOf(thinking), signature } : { data }
  const detail = { type: `anthropic.${type}`, ...own }
  return signed && isOwnReasoning(detail) ? [detail] : []
}

function contentOf(content: string | readonly Fields[]): Message['content'] {
  return typeof content === 'string' ? content : plainest(contentParts(content))
}

/** A single text without a cache mark becomes a plain string, which every format accepts. */
function plainest(parts: ContentPart[]): Message['content'] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && !only.cache_control ? only.text : parts
}

/** Joins the pieces of one answer: providers split it where a source is cited. */
function joined(parts: ContentPart[]): Message['content'] {
  if (parts.some(({ cache_control }) => cache_control)) return parts
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function text(value: string): ContentPart & { type: 'text' } {
  return { type: 'text', text: value }
}
