import type { ChatRequest, ContentPart, Message } from '../../contract/chat.ts'

/** The texts of a message, in order. */
export function textsOf({ content }: Message): string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).flatMap((part) => textOfPart(part) ?? [])
}

/** Changes every text of the chosen messages. Returns the same request if no text changes. */
export function mapMessageTexts(
  request: ChatRequest,
  change: (text: string) => string,
  isChosen: (message: Message) => boolean = () => true,
): ChatRequest {
  return mapMessages(request, (message) => (isChosen(message) ? withTexts(message, change) : message))
}

function mapMessages(request: ChatRequest, change: (message: Message, index: number) => Message): ChatRequest {
  const messages = request.messages.map(change)
  const isSame = messages.every((message, index) => message === request.messages[index])
  return isSame ? request : { ...request, messages }
}

/** The messages that are new in this request: all after the last answer of the model. */
export function newMessages({ messages }: ChatRequest): Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
}

export function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function withTexts(message: Message, change: (text: string) => string): Message {
  const { content } = message
  if (typeof content === 'string') {
    const text = change(content)
    return text === content ? message : { ...message, content: text }
  }
  const parts = content?.map((part) => changedPart(part, change))
  return parts?.some((part, index) => part !== content?.[index]) ? { ...message, content: parts } : message
}

function changedPart(part: ContentPart, change: (text: string) => string): ContentPart {
  const before = textOfPart(part)
  if (before === undefined) return part
  const text = change(before)
  if (text === before) return part
  return part.type === 'refusal' ? { ...part, refusal: text } : ({ ...part, text } as ContentPart)
}

function textOfPart(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : undefined
}
