import type { ContentPart, Message } from '../../contract/chat.ts'
import { shortCallId } from '../short-call-id.ts'
import { type Fields, recordsIn, textOf } from '../../schema/record.ts'

// https://docs.mistral.ai/api: OpenAI's format, with files, audio and ids of its own. It refuses unknown fields.

const KNOWN = ['role', 'content', 'tool_calls', 'tool_call_id', 'prefix', 'name'] as const

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

/** Keeps only known fields, and ids of nine characters; returns the same message if nothing changes. */
export function toMistralMessage(message: Message & Fields): Message {
  const isPlain = Object.keys(message).every((field) => field === 'role' || field === 'content')
  if (isPlain) return message
  const known = KNOWN.filter((field) => message[field] != null && (field !== 'name' || message.role === 'tool'))
  const settled: Fields = Object.fromEntries(known.map((field) => [field, message[field]]))
  if (settled.tool_calls !== undefined)
    settled.tool_calls = recordsIn(settled.tool_calls).map(({ index: _, ...call }) => withShortId(call, 'id'))
  return withShortId(settled, 'tool_call_id') as unknown as Message
}

function withShortId(thing: Fields, field: string): Fields {
  const id = textOf(thing[field])
  return id ? { ...thing, [field]: shortCallId(id) } : thing
}
