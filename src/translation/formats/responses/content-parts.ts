import type { ContentPart } from '../../../contract/chat.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'

/** The content of an item as parts. */
export function contentParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return recordsIn(content).flatMap(partOf)
}

export function textIn(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** A single text becomes a plain string, which every format accepts. */
export function plainest(parts: ContentPart[]): string | ContentPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function partOf(part: Fields): ContentPart[] {
  const { type } = part
  if (type === 'input_text' || type === 'output_text' || type === 'text')
    return textOf(part.text) ? [{ type: 'text', text: textOf(part.text) }] : []
  if (type === 'input_image') return [imagePart(part)]
  if (type === 'input_file') return [{ type: 'file', file: fileOf(part) }]
  if (type === 'input_audio' && isRecord(part.input_audio)) {
    const { data, format } = part.input_audio
    return [{ type: 'input_audio', input_audio: { data: textOf(data), format: textOf(format) || null } }]
  }
  return type === 'refusal' ? [{ type: 'text', text: textOf(part.refusal) }] : []
}

function imagePart({ image_url, file_id, detail }: Fields): ContentPart {
  const url = isRecord(image_url) ? textOf(image_url.url) : textOf(image_url)
  if (!url) return { type: 'file', file: { file_id: textOf(file_id) } }
  return { type: 'image_url', image_url: { url, ...(detail != null && { detail }) } }
}

function fileOf({ file_data, file_url, file_id, filename }: Fields) {
  const named = textOf(filename) ? { filename: textOf(filename) } : {}
  if (textOf(file_data)) return { file_data: textOf(file_data), ...named }
  return { file_id: textOf(file_url ?? file_id), ...named }
}
