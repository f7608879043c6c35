import type { Message } from '../../../contract/chat.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { isInstruction, leadingInstructions, namesSpeaker } from '../request/messages.ts'
import { PastCalls } from '../request/past-calls.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { addTurn, type Turn } from '../turns.ts'
import { UNKNOWN_SIGNATURE } from '../request/unknown-signature.ts'
import { assistantParts } from './assistant-turn.ts'
import { type CacheEnd, type Mark, marksIn } from './cache-plan.ts'
import { MessageParts } from './message-parts.ts'
import { resultParts, type Translation } from './tool-results.ts'
import type { GenerateContentRequest, GenerationConfig, WireContent, WirePart } from './wire.ts'

export type Conversation = Pick<GenerateContentRequest, 'contents' | 'systemInstruction'> &
  Pick<GenerationConfig, 'mediaResolution'> & {
    /** The end of the block that is to be cached. */
    cacheEnd?: CacheEnd | undefined
  }

/** `inWords` is an additional instruction that no field of the wire format can express. */
export function toConversation(
  fields: RequestFields,
  inWords: string | undefined,
  target: Target,
  notes: Notes,
): Conversation {
  const { messages } = fields
  const reader = new MessageParts(target)
  const begin = leadingInstructions(messages)
  const instructions = messages.slice(0, begin).flatMap((message, at) => reader.texts(message, ['messages', at]))
  if (inWords) instructions.push({ text: inWords })
  const mark = marksIn(fields).at(-1)
  const translation = { target, calls: new PastCalls('Gemini'), notes }
  const { contents, cacheEnd } = toContents(messages, { begin, mark }, reader, translation)
  noteMessages(messages, begin, notes)
  signUnknownCalls(contents, target)
  const conversation = placed(instructions, contents, target, notes)
  const isWhole = conversation.contents === contents
  return { ...conversation, ...reader.mediaResolution(), ...(mark && isWhole && { cacheEnd }) }
}

type Borders = { begin: number; mark: Mark | undefined }

function toContents(messages: Message[], { begin, mark }: Borders, reader: MessageParts, translation: Translation) {
  const turns: Turn<WirePart>[] = []
  let cacheEnd: CacheEnd = { contents: 0, parts: 0 }
  for (let at = begin; at < messages.length; at++) {
    const role = messages[at]!.role === 'assistant' ? 'assistant' : 'user'
    const content = partsOf(messages[at]!, at, reader, translation)
    addTurn(turns, { role, content })
    if (mark?.message !== at || turns.length === 0) continue
    const behind = content.length - partsUpTo(messages[at]!, mark, reader, content.length)
    cacheEnd = { contents: turns.length - 1, parts: turns.at(-1)!.content.length - behind }
  }
  const contents = turns.map(
    ({ role, content }): WireContent => ({ role: role === 'user' ? role : 'model', parts: content }),
  )
  return { contents, cacheEnd }
}

/** How many parts of a message are before the mark. Only a message of the user is divided. */
function partsUpTo(message: Message, { part }: Mark, reader: MessageParts, all: number): number {
  const { role, content } = message
  if (role !== 'user' || part === undefined || !Array.isArray(content)) return all
  return reader.parts({ ...message, content: content.slice(0, part + 1) }, []).length
}

function partsOf(message: Message, at: number, reader: MessageParts, translation: Translation): WirePart[] {
  if (message.role === 'assistant') return assistantParts(message, at, reader, translation)
  if (message.role === 'tool' || message.role === 'function') return resultParts(message, at, reader, translation)
  return isInstruction(message) ? reader.texts(message, ['messages', at]) : reader.parts(message, ['messages', at])
}

function noteMessages(messages: Message[], begin: number, notes: Notes): void {
  if (messages.some((message, at) => at >= begin && isInstruction(message)))
    notes.translated(
      'messages.role',
      'Gemini accepts instructions at the beginning only: a later one was sent as a user message in its place',
    )
  if (messages.some(namesSpeaker)) notes.dropped('messages.name', 'Gemini does not support names of speakers')
  if (messages.some(({ reasoning_content }) => reasoning_content))
    notes.dropped('messages.reasoning_content', 'Gemini accepts signatures, not the text of earlier reasoning')
}

function placed(instructions: WirePart[], contents: WireContent[], target: Target, notes: Notes): Conversation {
  if (instructions.length > 0 && target.traits?.lacks?.includes('system')) {
    notes.translated('messages.role', 'this model has no system prompt: the instructions are sent as user text')
    return { contents: withInstructions(contents, instructions) }
  }
  if (contents.length > 0)
    return { ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }), contents }
  if (instructions.length === 0) throw cannotTake(['messages'], 'Gemini needs at least one message to answer')
  notes.translated('messages.role', 'Gemini needs a user message: the instructions were sent as one')
  return { contents: [{ role: 'user', parts: instructions }] }
}

function withInstructions(contents: WireContent[], instructions: WirePart[]): WireContent[] {
  const at = contents.findIndex(({ role }) => role === 'user')
  if (at < 0) return [{ role: 'user', parts: instructions }, ...contents]
  const [first, ...others] = contents[at]!.parts
  const instruction = instructions.map(({ text }) => text).join('\n\n')
  const parts =
    first!.text === undefined
      ? [{ text: instruction }, first!, ...others]
      : [{ text: `${instruction}\n\n${first!.text}` }, ...others]
  return contents.with(at, { role: 'user', parts })
}

/**
 * Since Gemini 3 the first call of each step of the current turn must be signed. The turn begins with the last message that
 * the user wrote.
 */
function signUnknownCalls(contents: WireContent[], { traits }: Target): void {
  if (traits?.thinking?.by !== 'level') return
  const begin = contents.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some((part) => !part.functionResponse),
  )
  for (const { role, parts } of contents.slice(begin + 1)) {
    const first = role === 'model' ? parts.findIndex(({ functionCall }) => functionCall) : -1
    if (first >= 0) parts[first] = { thoughtSignature: UNKNOWN_SIGNATURE, ...parts[first] }
  }
}
