import type { ContentPart } from '../../../contract/chat.ts'
import { withDashes } from '../../../base/schema/resource-id.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { elementsOf, fieldsOf } from './names.ts'

/** An id that this gateway assigned, alone, as the name of a file, or at the end of its address. Google's ids are shorter. */
const UPLOAD =
  /^(?:(?:https?:\/\/(?![^/]*googleapis\.com\/)[^/?#]+\/(?:[^?#]*\/)?v1beta\/)?files\/)?([0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12})$/i

/** The audio formats that the chat format names. */
const AUDIO = /^audio\/(?:x-)?(wav|mp3|mpeg|flac|ogg|opus|aac|aiff|m4a|webm)$/

/** The parts of a user or of a function. Parts that only Google understands are left out. */
export function contentParts(parts: readonly Fields[]): ContentPart[] {
  return parts.flatMap((part): ContentPart[] => {
    if (typeof part.text === 'string') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    if (part.inlineData != null) return [inlinePart(fieldsOf(part.inlineData))]
    if (part.fileData != null) return [filePart(fieldsOf(part.fileData))]
    return []
  })
}

/** Whether a chat can express this part of a user. */
export function isExpressible({ text, inlineData, fileData, functionResponse }: Fields): boolean {
  return typeof text === 'string' || (inlineData ?? fileData ?? functionResponse) != null
}

/** Whether a part refers to a file that was uploaded to this gateway. */
export function namesUpload({ contents }: { contents: unknown }): boolean {
  const parts = elementsOf(contents).flatMap((turn) => elementsOf(turn.parts))
  return parts.some(({ fileData }) => fileData != null && uploadIn(textOf(fieldsOf(fileData).fileUri)) !== undefined)
}

/** The id of a file that was uploaded to this gateway, if the address is one of those by which clients name it. */
export function uploadIn(address: string): string | undefined {
  const id = UPLOAD.exec(address)?.[1]
  return id && withDashes(id.toLowerCase())
}

function inlinePart({ mimeType, data, displayName }: Fields): ContentPart {
  const type = textOf(mimeType).toLowerCase()
  const url = `data:${type};base64,${standardBase64(textOf(data))}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const audio = AUDIO.exec(type)?.[1]
  if (audio) {
    const format = audio === 'mpeg' ? 'mp3' : audio
    return { type: 'input_audio', input_audio: { data: standardBase64(textOf(data)), format } }
  }
  return { type: 'file', file: { file_data: url, ...(textOf(displayName) && { filename: displayName }) } }
}

/** Google accepts both alphabets; most other providers accept the standard one only. */
function standardBase64(data: string): string {
  return /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data
}

function filePart({ fileUri, mimeType, displayName }: Fields): ContentPart {
  const address = textOf(fileUri)
  const upload = uploadIn(address)
  if (!upload && textOf(mimeType).startsWith('image/')) return { type: 'image_url', image_url: { url: address } }
  const filename = textOf(displayName) ? { filename: displayName } : {}
  return { type: 'file', file: { file_id: upload ?? address, ...filename } }
}
