import type { ContentPart, FilePart, ImagePart, Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { imageOf, namesSpeaker, textOfPart } from '../request/messages.ts'
import { PastCalls } from '../request/past-calls.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { earlierBlocks } from '../provider-blocks.ts'
import { MAKER } from './provider-content.ts'
import { documentData } from './document.ts'

type Conversation = { messages: Fields[]; documents: Fields[] }

/** The state of translating a conversation. */
type Translation = { documents: Fields[]; target: Target; calls: PastCalls; notes: Notes }

export function toConversation({ messages }: RequestFields, target: Target, notes: Notes): Conversation {
  const translation: Translation = { documents: [], target, calls: new PastCalls('Cohere'), notes }
  const translated = messages.flatMap((message, at) => {
    if (namesSpeaker(message)) notes.dropped('messages.name', 'Cohere does not support names of speakers')
    if (hasMark(message)) notes.dropped('cache_control', 'Cohere has no cache marks')
    return toMessage(message, at, translation)
  })
  if (translated.length === 0) throw cannotTake(['messages'], 'Cohere needs at least one message to answer')
  return { messages: translated, documents: translation.documents }
}

function hasMark({ content }: Message): boolean {
  return Array.isArray(content) && content.some(({ cache_control }) => cache_control)
}

/** An empty message would be refused, so it is dropped. */
function toMessage(message: Message, at: number, translation: Translation): Fields[] {
  switch (message.role) {
    case 'assistant':
      return assistantMessage(message, at, translation)
    case 'tool':
    case 'function':
      return [resultMessage(message, at, translation)]
    case 'user': {
      const content = userContent(message, at, translation)
      return content.length > 0 ? [{ role: 'user', content }] : []
    }
    default: {
      const content = textOnly(message, at)
      return content ? [{ role: 'system', content }] : []
    }
  }
}

/** A message with calls cannot contain an answer: its text is the plan that led to the calls. */
function assistantMessage(message: Message, at: number, translation: Translation): Fields[] {
  const calls = translation.calls.made(message, at)
  const text = textOnly(message, at)
  const earlier = earlierBlocks(message, MAKER, translation.notes)?.filter(({ type }) => type !== 'citation')
  const hasBlocks = earlier?.some(({ type }) => type !== 'text')
  if (calls.length === 0 && hasBlocks) return [{ role: 'assistant', content: earlier }]
  if (calls.length === 0) return text ? [{ role: 'assistant', content: text }] : []
  const plan = [textOf(message.reasoning_content), text].filter(Boolean).join('\n')
  const tool_calls = calls.map(({ id, name, arguments: value }) => {
    return { id, type: 'function', function: { name, arguments: value } }
  })
  return [{ role: 'assistant', tool_calls, ...(plan && { tool_plan: plan }) }]
}

function resultMessage(message: Message, at: number, translation: Translation): Fields {
  const { content } = message
  const tool_call_id = translation.calls.answered(message, at).id
  if (!Array.isArray(content)) return { role: 'tool', tool_call_id, content: content ?? '' }
  const parts = content.map((part, index) => resultPart(part, ['messages', at, 'content', index]))
  return { role: 'tool', tool_call_id, content: parts.length > 0 ? parts : '' }
}

function resultPart(part: ContentPart, loc: Loc): Fields {
  if (part.type === 'file') return { type: 'document', document: { data: documentData(part, loc) } }
  return { type: 'text', text: sayableText(part, loc, 'a result of a tool') }
}

/** Plain text stays plain. Files are moved out of the message, to a list beside the conversation. */
function userContent({ content }: Message, at: number, translation: Translation): string | Fields[] {
  if (!Array.isArray(content)) return content ?? ''
  const parts: Fields[] = []
  const titles: string[] = []
  for (const [index, part] of content.entries()) {
    const loc = ['messages', at, 'content', index]
    if (part.type === 'file') titles.push(addDocument(part, loc, translation))
    else if (part.type === 'image_url') parts.push(imagePart(part, [...loc, 'image_url'], translation))
    else if (sayableText(part, loc, 'a message')) parts.push({ type: 'text', text: textOfPart(part) })
  }
  return parts.length === 0 && titles.length > 0 ? `Attached: ${titles.join(', ')}` : parts
}

function addDocument(part: FilePart, loc: Loc, { documents, target }: Translation): string {
  needs('files', target.traits, [...loc, 'file'], 'Cohere')
  const data = documentData(part, loc)
  documents.push({ id: `file-${documents.length}`, data })
  return data.title
}

const DETAILS: ReadonlySet<unknown> = new Set(['auto', 'low', 'high'])

function imagePart(part: ImagePart, loc: Loc, { target }: Translation): Fields {
  needs('vision', target.traits, loc, 'Cohere')
  const { url, detail } = imageOf(part)
  return { type: 'image_url', image_url: { url, ...(DETAILS.has(detail) && { detail }) } }
}

function textOnly({ role, content }: Message, at: number): string {
  if (!Array.isArray(content)) return content ?? ''
  const container = `a message of the role "${role}"`
  return content.map((part, index) => sayableText(part, ['messages', at, 'content', index], container)).join('\n')
}

function sayableText(part: ContentPart, loc: Loc, container: string): string {
  const text = textOfPart(part)
  if (text === undefined)
    throw cannotTake(loc, `Cohere does not accept a part of the type "${part.type}" in ${container}`)
  return text
}
