import type { ChatRequest, ContentPart, Message } from '../../../contract/chat.ts'
import { isInstruction, leadingInstructions, textOfPart } from '../request/messages.ts'
import type { Notes } from '../notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'

type Messages = ChatRequest['messages']

/** What an address requires of the order of messages. */
type Order = {
  /** Models of Mistral: no instruction comes after an answer or a result, and the assistant speaks between a tool and the user. */
  isMistral: boolean
  /** Instructions come first, then the user and the assistant alternate. */
  alternates: boolean
}

/** The messages in an order that the address accepts. Usually nothing changes, and the same list is returned. */
export function settleOrder(messages: Messages, { isMistral, alternates }: Order, notes: Notes): Messages {
  const spoken = messages.some(isSilent) ? spokenOnly(messages, isMistral, notes) : messages
  if (!isMistral && !alternates) return spoken
  const placed = withoutLateInstructions(spoken, alternates, notes)
  return alternates ? merged(placed, notes) : bridged(placed, notes)
}

/** Members with which an answer says something although it has no content. Reasoning is not enough for models of Mistral. */
const SPEECH = ['function_call', 'audio', 'refusal', 'prefix', 'partial']
const THOUGHT = ['reasoning_content', 'reasoning', 'reasoning_details']

/** An answer without content is refused, or taken for an answer that consists of nothing. */
function isSilent(message: Message & Fields): boolean {
  const { role, content, tool_calls } = message
  const hasContent = Array.isArray(content) ? content.length > 0 : content != null && content !== ''
  return role === 'assistant' && !hasContent && (!Array.isArray(tool_calls) || tool_calls.length === 0)
}

function spokenOnly(messages: Messages, isMistral: boolean, notes: Notes): Messages {
  const speech = isMistral ? SPEECH : [...SPEECH, ...THOUGHT]
  return messages.flatMap((message: Message & Fields) => {
    if (!isSilent(message)) return [message]
    if (speech.some((member) => message[member] != null))
      return [message.content == null ? { ...message, content: '' } : message]
    notes.dropped('messages', 'an answer without content is refused')
    return []
  })
}

function withoutLateInstructions(messages: Messages, alternates: boolean, notes: Notes): Messages {
  const begin = leadingInstructions(messages)
  const isLate = (at: number) =>
    alternates || messages[at - 1]!.role === 'assistant' || messages[at - 1]!.role === 'tool'
  const isMisplaced = (message: Message, at: number) => at > begin && isInstruction(message) && isLate(at)
  if (!messages.some(isMisplaced)) return messages
  notes.translated('messages', 'system messages after the beginning are sent as marked text of the user')
  return messages.map((message, at) => (isMisplaced(message, at) ? asUser(message) : message))
}

function asUser({ content }: Message): Message {
  const text = Array.isArray(content) ? content.map((part) => textOfPart(part) ?? '').join('\n') : textOf(content)
  return { role: 'user', content: `<system>\n${text}\n</system>` }
}

/** Stands between the results of tools and a message of the user. */
const BRIDGE = 'OK.'

function bridged(messages: Messages, notes: Notes): Messages {
  const needsBridge = (at: number) => messages[at]!.role === 'user' && messages[at - 1]?.role === 'tool'
  if (!messages.some((_, at) => needsBridge(at))) return messages
  notes.translated('messages', `the user may not follow a tool here: "${BRIDGE}" of the assistant was inserted between`)
  return messages.flatMap((message, at) =>
    needsBridge(at) ? [{ role: 'assistant' as const, content: BRIDGE }, message] : [message],
  )
}

function merged(messages: Messages, notes: Notes): Messages {
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (!last || last.role !== message.role || isInstruction(message)) joined.push(message)
    else joined[joined.length - 1] = { ...last, content: joinedContent(last.content, message.content) }
  }
  if (joined.length === messages.length) return messages
  notes.translated('messages', 'the user and the assistant have to alternate here: messages of one role became one')
  return joined
}

function joinedContent(first: Message['content'], second: Message['content']): Message['content'] {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`
  return [...partsOf(first), ...partsOf(second)]
}

function partsOf(content: Message['content']): ContentPart[] {
  if (Array.isArray(content)) return content
  return content ? [{ type: 'text', text: content }] : []
}
