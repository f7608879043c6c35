import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { Target } from '../chat-codec.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'

// https://docs.mistral.ai/api: OpenAI's format, with files, audio and ids of its own. It refuses unknown fields.

const KNOWN = ['content', 'tool_calls', 'tool_call_id', 'prefix', 'name']

/** Models of Mistral refuse the same orders and ids wherever they run. */
export function isMistral({ compat, traits }: Target): boolean {
  return compat?.mistral === true || traits?.maker === 'mistral'
}

/** Files and audio are directly in the part. */
export function mistralPart(part: ContentPart): ContentPart {
  if (part.type === 'file') return filePart(part.file) as unknown as ContentPart
  if (part.type === 'refusal') return { type: 'text', text: part.refusal }
  if (part.type !== 'input_audio') return part
  return { type: 'input_audio', input_audio: part.input_audio.data } as unknown as ContentPart
}

function filePart({ file_id, file_data, filename }: Extract<ContentPart, { type: 'file' }>['file']): Fields {
  if (file_id) return { type: 'file', file_id }
  const document_url = /^data:/i.test(file_data ?? '') ? file_data : `data:application/pdf;base64,${file_data}`
  return { type: 'document_url', document_url, ...(textOf(filename) && { document_name: filename }) }
}

/** Keeps only known fields; returns the same message if nothing changes. */
export function toMistralMessage(message: Message & Fields): Message {
  const isPlain = Object.keys(message).every((field) => field === 'role' || field === 'content')
  if (isPlain) return message
  const isKept = (field: string) => message[field] != null && (field !== 'name' || message.role === 'tool')
  const allowed = KNOWN.filter(isKept).map((field) => [field, message[field]])
  return { role: message.role, ...Object.fromEntries(allowed) }
}
