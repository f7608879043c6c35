import { type AnswerChunk, Internal, type NativeEvent } from '../../translation/wire/answer.ts'
import { saysSomething } from '../../translation/dialects/answer/says-something.ts'
import { recordOf } from '../../base/schema/record.ts'
import type { WireEvent } from '../../translation/wire/wire.ts'

/** Whether a chunk shows that the model has begun: it has content, or carries content of the provider's own format. */
export function beginsAnswer(chunk: AnswerChunk): boolean {
  return chunk.choices.some(hasContent) || (Internal.read(chunk.nativeEvents)?.some(isContentEvent) ?? false)
}

/** Whether a choice has more than a role: text, reasoning, tool calls, steps of the provider, or a finish reason. */
export function hasContent({ delta, finish_reason }: AnswerChunk['choices'][number]): boolean {
  return Boolean(finish_reason) || saysSomething(delta)
}

/** Whether an event brought a part of the answer. If nothing was decoded from it, it may still be news. */
export function isNews(event: WireEvent, decoded: readonly AnswerChunk[]): boolean {
  return decoded.length > 0 ? decoded.some(beginsAnswer) : !isKeepAlive(event)
}

/** Nothing, a word, an empty object, or an object that says what it is. */
const PING = /^(?:[^{]*|\s*\{\s*\}\s*|\s*\{\s*"type"\s*:\s*"(?:ping|keepalive|heartbeat)".*)$/s

function isKeepAlive({ event, data }: WireEvent): boolean {
  return event === 'ping' || event === 'keepalive' || (data.length < MAX_PING_CHARS && PING.test(data))
}

const MAX_PING_CHARS = 200

/** Events of the responses format that frame an answer and have nothing of it. */
const FRAMES: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.content_part.added',
])

/**
 * Whether an event of the messages or the responses format has a part of the answer: also a search, a program or reasoning
 * of the provider, which callers of that format want to see at once. The announcement of an empty text is no part yet,
 * because an error may follow it and another model take over.
 */
export function isContentEvent(event: NativeEvent): boolean {
  const { type } = event
  if (type === 'content_block_delta') return true
  if (type === 'content_block_start') return !isEmptyText(recordOf(event.content_block))
  if (type === 'response.output_item.added') return !isEmptyText(recordOf(event.item))
  return type.startsWith('response.') && !FRAMES.has(type)
}

function isEmptyText({ type, text, content }: Record<string, unknown>): boolean {
  if (type === 'text') return !text
  return type === 'message' && !(Array.isArray(content) && content.length > 0)
}
