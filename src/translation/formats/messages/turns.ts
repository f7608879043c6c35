import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { MessagesRequest, MessageTurn } from '../../../contract/messages.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { unpackContent } from '../../dialects/packed-content.ts'
import { contentParts } from './content-parts.ts'
import { isOwnReasoning, isSealed, unseal } from '../sealed-reasoning.ts'
import { contentOfTurn } from './step-blocks.ts'
import { writeJson } from '../../json/written-numbers.ts'

/**
 * The formats of the targets that may read the conversation, and whether they understand more than plain chat completions.
 */
export type TargetFormats = {
  /** Some target uses the plain chat format, which may refuse unknown fields. */
  plain: boolean
  providers: readonly string[]
}

export function systemMessages({ system }: MessagesRequest, targets: TargetFormats): Message[] {
  if (!system?.length) return []
  return [{ role: 'system', content: contentOf(system, targets) }]
}

/** Tool results become messages of their own, before the rest of their turn. */
export function turnMessages(turn: MessageTurn, targets: TargetFormats): Message[] {
  const { role, content, cache_control } = turn as MessageTurn & Fields
  const marked = !targets.plain && isRecord(cache_control) ? { cache_control } : {}
  if (typeof content === 'string') return [{ role, content, ...marked }]
  const messages = role === 'assistant' ? assistantMessage(content, targets) : userMessages(role, content, targets)
  if (messages.length > 0) Object.assign(messages.at(-1)!, marked)
  return messages
}

function userMessages(role: 'user' | 'system', blocks: readonly Fields[], targets: TargetFormats): Message[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => toolResult(block, targets))
  const content = contentParts(
    blocks.filter(({ type }) => type !== 'tool_result'),
    !targets.plain,
  )
  const rest = [...results.flatMap(({ beside }) => beside), ...content]
  const messages = results.map(({ message }) => message)
  return rest.length > 0 ? [...messages, { role, content: plainest(rest) }] : messages
}

/** Most chat formats accept only text from a tool. Other content follows in a user message, with a note about its origin. */
function toolResult(block: Fields, { plain }: TargetFormats): { message: Message; beside: ContentPart[] } {
  const { content, tool_use_id, is_error } = block
  const parts = typeof content === 'string' ? [text(content)] : contentParts(recordsIn(content), !plain)
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = parts.filter(({ type }) => type !== 'text')
  const joined = texts.join('\n') || (media.length > 0 ? 'The result follows.' : '')
  const isPlainText = plain && is_error === true && !/^error/i.test(joined)
  const message = {
    role: 'tool' as const,
    tool_call_id: textOf(tool_use_id),
    content: isPlainText ? `Error: ${joined}` : joined,
    ...(!plain && is_error === true && { is_error }),
    ...(!plain && isRecord(block.cache_control) && { cache_control: block.cache_control }),
  }
  const label = media.length > 0 ? [text(`Result of the tool call ${textOf(tool_use_id)}:`)] : []
  return { message, beside: [...label, ...media] }
}

function assistantMessage(blocks: readonly Fields[], targets: TargetFormats): Message[] {
  const parts = contentParts(
    blocks.filter(({ type }) => type === 'text'),
    !targets.plain,
  )
  const tool_calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCall)
  const details = blocks.flatMap((block) => reasoningIn(block, targets))
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

/** Empty if no target understands the reasoning of the block. */
export function reasoningIn(
  { type, thinking, signature, data }: Fields,
  { plain, providers }: TargetFormats,
): Fields[] {
  if (type !== 'thinking' && type !== 'redacted_thinking') return []
  const signed = type === 'thinking' ? signature : data
  // What was sealed for another provider is not Anthropic's own.
  if (isSealed(signed) || plain) return unseal(signed, providers)
  const own = type === 'thinking' ? { thinking: textOf(thinking), signature } : { data }
  const detail = { type: `anthropic.${type}`, ...own }
  return signed && isOwnReasoning(detail) ? [detail] : []
}

function contentOf(content: string | readonly Fields[], { plain }: TargetFormats): Message['content'] {
  return typeof content === 'string' ? content : plainest(contentParts(content, !plain))
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
