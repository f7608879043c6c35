import type { ChatRequest, Message } from '../../../contract/chat.ts'
import { requestedFormat } from '../request/requested-format.ts'
import type { Target } from '../chat-codec.ts'
import { jsonInWords } from '../json-answer.ts'
import type { Notes } from '../notes.ts'

type AnswerFormat = {
  /** Replaces the caller's. */
  format?: { type: 'json_object' }
  /** Precedes the conversation. */
  instruction?: Message
}

/** A model without schemas gets the JSON mode, and an instruction to follow the schema. */
export function answerFormat(
  { response_format, messages }: ChatRequest,
  { traits }: Target,
  notes: Notes,
): AnswerFormat {
  const isLacking = response_format?.type === 'json_schema' && traits?.lacks?.includes('json_schema')
  if (!isLacking) return {}
  const request = requestedFormat({ messages, response_format }, notes)
  if (request?.schema)
    notes.translated('response_format', 'this model does not support schemas: it is instructed in words')
  return { format: { type: 'json_object' }, instruction: { role: 'system', content: jsonInWords(request?.schema) } }
}
