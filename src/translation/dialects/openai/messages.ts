import type { ChatRequest, ContentPart, Message } from '../../../contract/chat.ts'
import { namesSpeaker } from '../request/messages.ts'
import { needs } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import { CacheMarks } from './cache-marks.ts'
import type { Compat } from './compat.ts'
import { isMistral, toMistralMessage, mistralPart } from './mistral.ts'
import { settleOrder } from './order.ts'
import { withParts } from './part-blocks.ts'
import { callId, dropForeignMembers, settleCalls } from './past-answers.ts'

type Messages = ChatRequest['messages']

/** The context of translating the messages of one call. */
type Reading = { target: Target; compat: Compat; isMistral: boolean; marks: CacheMarks; notes: Notes }

const NONE: Compat = {}

/** The messages as this address accepts them. Usually nothing changes, and the same list is returned. */
export function settleMessages(messages: Messages, target: Target, notes: Notes): Messages {
  const { compat = NONE } = target
  const order = { isMistral: isMistral(target), alternates: compat.alternates === true }
  const reading = { target, compat, ...order, marks: new CacheMarks(messages, target, notes), notes }
  const settled = changed(messages, (message, at) => settleMessage(message, at, reading))
  return settleOrder(settled, order, notes)
}

function settleMessage(message: Message, at: number, reading: Reading): Message {
  const { compat } = reading
  const changes = changesOf(message, reading)
  const content = Array.isArray(message.content) ? settleParts(message.content, at, reading) : message.content
  const settled = changes || content !== message.content ? { ...message, content, ...changes } : message
  return compat.mistral ? toMistralMessage(settled) : settled
}

/** Undefined members are not sent. */
function changesOf(message: Message, { compat, isMistral, notes }: Reading): Partial<Message> | undefined {
  const changes: Fields = {}
  if (message.role === 'developer' && !compat.developer) changes.role = 'system'
  if (compat.nameless && namesSpeaker(message)) {
    changes.name = undefined
    notes.dropped('messages.name', 'this provider does not support names of speakers')
  }
  const id = textOf(message.tool_call_id)
  if (id !== callId(id, isMistral)) changes.tool_call_id = callId(id, isMistral)
  if (message.role === 'assistant') {
    dropForeignMembers(message, compat, changes, notes)
    settleReasoning(message, compat, changes, notes)
    settleContent(message, compat, changes, notes)
    const calls = message.tool_calls == null ? undefined : settleCalls(message.tool_calls, isMistral, compat, notes)
    if (calls) changes.tool_calls = calls
  }
  for (const _ in changes) return changes as Partial<Message>
  return undefined
}

function settleReasoning(message: Message & Fields, compat: Compat, changes: Fields, notes: Notes): void {
  const { reasoning_content: reasoning, tool_calls } = message
  if (reasoning != null && (compat.reasoning === 'refused' || compat.reasoning === 'as reasoning')) {
    changes.reasoning_content = undefined
    if (compat.reasoning === 'as reasoning') changes.reasoning = reasoning
    else notes.dropped('messages.reasoning_content', 'this provider does not accept earlier reasoning')
  }
  // For providers that require it: an empty text is enough if the reasoning is no longer known.
  if (reasoning == null && compat.reasoning === 'demanded' && tool_calls != null) changes.reasoning_content = ''
  if (compat.details) dropSigned(message.reasoning_details, changes, notes)
  for (const field of ['reasoning_details', 'thinking_blocks'] as const) {
    if (compat.details || message[field] == null) continue
    changes[field] = undefined
    notes.dropped(`messages.${field}`, 'they are signed for another provider')
  }
}

/** Details of other dialects. */
const SIGNED_ELSEWHERE = /^(anthropic|bedrock|gemini|responses)\./

/** What the makers of other dialects signed, only these can read; hosts with details of their own keep theirs. */
function dropSigned(details: unknown, changes: Fields, notes: Notes): void {
  const all = recordsIn(details)
  const readable = all.filter(({ type }) => !SIGNED_ELSEWHERE.test(textOf(type)))
  if (readable.length === all.length) return
  changes.reasoning_details = readable.length > 0 ? readable : undefined
  notes.dropped('messages.reasoning_details', 'they are signed for another provider')
}

/** What a provider did by itself: only the provider that it comes from may accept it again. */
function settleContent(message: Message & Fields, compat: Compat, changes: Fields, notes: Notes): void {
  if (message.executed_tools != null) {
    changes.executed_tools = undefined
    notes.dropped('messages.executed_tools', 'providers return it, but do not accept it')
  }
  if (message.provider_content == null) return
  changes.provider_content = undefined
  const parts = withParts(message, compat, notes)
  if (parts) changes.content = parts
}

function settleParts(parts: ContentPart[], at: number, reading: Reading): ContentPart[] {
  return changed(parts, (part, index) => settlePart(part, ['messages', at, 'content', index], reading))
}

function settlePart(part: ContentPart, loc: (string | number)[], { target, compat, marks }: Reading): ContentPart {
  const { traits, name = 'the provider' } = target
  if (part.type === 'image_url') needs('vision', traits, [...loc, 'image_url'], name)
  if (part.type === 'file') needs('files', traits, [...loc, 'file'], name)
  const marked = part.cache_control ? marks.settle(part) : part
  const plain = withImageObject(marked)
  return compat.mistral ? mistralPart(plain) : plain
}

/** Older clients write `"image_url": "https://…"`; OpenAI requires an object. */
function withImageObject(part: ContentPart): ContentPart {
  if (part.type !== 'image_url' || typeof part.image_url !== 'string') return part
  return { ...part, image_url: { url: part.image_url } }
}

/** Returns the same list if no item changes. */
function changed<Item>(items: Item[], change: (item: Item, at: number) => Item): Item[] {
  const settled = items.map(change)
  return settled.some((item, at) => item !== items[at]) ? settled : items
}
