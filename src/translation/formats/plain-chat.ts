import type { ChatRequest, ContentPart, Message } from '../../contract/chat.ts'
import type { DropNotes } from '../wire/native-ask.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../base/schema/record.ts'
import { keepWritten } from '../json/written-numbers.ts'
import { isOwnReasoning } from './sealed-reasoning.ts'

// Translations of other formats keep what some wire formats understand, and chat completions do not have. A target that is
// asked through chat completions gets them without it.

/** `topK`: what the caller's format calls that field. `keepsMarks`: the target has cache marks. */
type Plain = { topK: string; keepsMarks: boolean }

/** The chat without what chat completions do not have. Its reasoning is left as it is, because formats describe it differently. */
export function plainChat(request: ChatRequest, { topK, keepsMarks }: Plain, notes: DropNotes): ChatRequest {
  const { top_k, ...rest } = request as ChatRequest & Fields
  if (top_k != null) notes.dropped(topK, 'chat completions do not have it')
  const marks = new Marks(keepsMarks, notes)
  const messages = request.messages.map((message) => plainMessage(message, marks)).filter(saysSomething)
  const tools = request.tools?.map((tool) => marks.settle(tool))
  return keepWritten({ ...rest, messages, ...(tools && { tools }) } as ChatRequest, request)
}

/** Only parts and tools may have a mark. */
function plainMessage(message: Message, marks: Marks): Message {
  const { is_error, reasoning_details, ...rest } = marks.remove(message as Message & Fields)
  const details = recordsIn(reasoning_details).filter((detail) => !isOwnReasoning(detail))
  return {
    ...rest,
    content: is_error === true ? asError(textOf(rest.content)) : plainContent(rest, marks),
    ...(details.length > 0 && { reasoning_details: details }),
  } as Message
}

function asError(text: string): string {
  return /^error/i.test(text) ? text : `Error: ${text}`
}

/** What was a list only because of its marks becomes a text, which every provider accepts. */
function plainContent({ role, content }: Pick<Message, 'role' | 'content'>, marks: Marks): Message['content'] {
  if (!Array.isArray(content)) return content
  const parts = content.map((part) => marks.settle(part))
  const texts = parts.flatMap((part) => (part.type === 'text' && !part.cache_control ? [part.text] : []))
  const isText = texts.length === parts.length
  return isText && (role === 'assistant' || parts.length === 1) ? texts.join('') : parts
}

class Marks {
  readonly #areKept: boolean
  readonly #notes: DropNotes

  constructor(areKept: boolean, notes: DropNotes) {
    this.#areKept = areKept
    this.#notes = notes
  }

  settle<Marked extends Fields | ContentPart>(marked: Marked): Marked {
    return this.#areKept ? marked : this.remove(marked)
  }

  remove<Marked extends Fields | ContentPart>(marked: Marked): Marked {
    const { cache_control, ...rest } = marked as Fields
    if (!isRecord(cache_control)) return marked
    this.#notes.dropped('cache_control', 'this provider has no such cache marks')
    return rest as Marked
  }
}

/** A turn of which nothing but foreign reasoning was left is not sent. */
function saysSomething({ role, content, ...rest }: Message): boolean {
  return role !== 'assistant' || content !== '' || Object.keys(rest).length > 0
}
