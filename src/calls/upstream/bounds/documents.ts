import { readFileData } from '../../../translation/dialects/data-url.ts'
import { sniffBase64 } from '../../../translation/dialects/sniff-base64.ts'
import { isRecord } from '../../../base/schema/record.ts'
import type { AskedChat } from '../native-codec.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

// PDFs, office documents, recordings and videos in a chat. A model reads their pages as pictures and as texts, which may be
// packed a thousand times. So their bytes do not tell how many tokens they have: only the context of the model limits them.

type Part = Record<string, unknown>

const MAX_DEPTH = 16
/** Where the formats keep what is said, and inside of that, what tools have answered. */
const BODIES = ['messages', 'contents', 'input', 'systemInstruction', 'system_instruction']
const INSIDE = ['content', 'parts', 'output', 'source', 'functionResponse', 'function_response']

/** Whether a chat has a file that is not a plain text, or names one that is elsewhere. */
export function holdsDocument({ request, native }: AskedChat): boolean {
  if (request.messages.some(({ content }) => typeof content === 'object' && isIn(content))) return true
  return native !== undefined && !native.isStale && BODIES.some((name) => isIn(native.body[name]))
}

/** Whether a chat has a recording, or a file that may be one. */
export function holdsAudio(input: AskedChat): boolean {
  const isAudio = ({ type }: Part) => type === 'input_audio'
  const { messages } = input.request
  return messages.some(({ content }) => typeof content === 'object' && isIn(content, isAudio)) || holdsDocument(input)
}

function isIn(value: unknown, isWanted = isDocument, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.some((one) => isIn(one, isWanted, depth + 1))
  return isWanted(value as Part) || INSIDE.some((name) => isIn((value as Part)[name], isWanted, depth + 1))
}

function isDocument(part: Part): boolean {
  if (part.type === 'file' && isRecord(part.file)) return !isTextFile(part.file.file_data)
  if (part.type === 'input_file') return !isTextFile(part.file_data)
  if (part.type === 'document' && isRecord(part.source)) return !TEXT_SOURCES.has(part.source.type)
  if (part.type === 'container_upload') return true
  const data = part.inlineData ?? part.inline_data
  return isRecord(part.fileData ?? part.file_data) || (isRecord(data) && !isShownOrText(data))
}

/** Documents of the messages format that are texts, or lists of parts. */
const TEXT_SOURCES: ReadonlySet<unknown> = new Set(['text', 'content'])

function isShownOrText({ mimeType, mime_type }: Part): boolean {
  return /^(image|text)\//.test(toText(mimeType ?? mime_type))
}

/** A PDF may have a few other bytes in front. */
const HEAD_CHARS = 1_400

/** What is said about the type has to agree with the bytes. */
function isTextFile(data: unknown): boolean {
  if (typeof data !== 'string') return false
  const { type, base64 } = readFileData(data)
  if (type !== '' && type !== 'application/json' && !type.startsWith('text/')) return false
  return sniffBase64(base64) === 'text/plain' && !Buffer.from(base64.slice(0, HEAD_CHARS), 'base64').includes('%PDF-')
}
