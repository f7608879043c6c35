import type { Loc } from '../../../base/schema/issue-messages.ts'
import { cannotTake } from '../cannot-take.ts'
import { readDataUrl } from '../data-url.ts'
import { sniffBase64 } from '../sniff-base64.ts'
import type { InlineData, MediaPart } from './wire.ts'

const BY_EXTENSION = new Map(
  Object.entries({
    pdf: 'application/pdf',
    txt: 'text/plain',
    md: 'text/markdown',
    html: 'text/html',
    htm: 'text/html',
    css: 'text/css',
    csv: 'text/csv',
    xml: 'text/xml',
    rtf: 'text/rtf',
    json: 'application/json',
    js: 'text/javascript',
    py: 'text/x-python',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    webp: 'image/webp',
    gif: 'image/gif',
    heic: 'image/heic',
    heif: 'image/heif',
    wav: 'audio/wav',
    mp3: 'audio/mp3',
    aiff: 'audio/aiff',
    aac: 'audio/aac',
    ogg: 'audio/ogg',
    flac: 'audio/flac',
    m4a: 'audio/m4a',
    mp4: 'video/mp4',
    mov: 'video/mov',
    mpeg: 'video/mpeg',
    webm: 'video/webm',
  }),
)

const ADDRESS = /^(https?|gs):\/\//i

/** The provider fetches URLs; anything else has to be a data URL. */
export function mediaAt(url: string, loc: Loc, typeOfUnknown?: string): MediaPart {
  if (ADDRESS.test(url)) return fileAt(url, typeOfUnknown)
  if (!/^data:/i.test(url)) throw cannotTake(loc, 'Gemini needs an https:// URL or a data: URL')
  return { inlineData: inline(url, loc) }
}

/**
 * Base64, bare or as a data URL. The type is the declared one, else the one of the file name, else the one detected from
 * the bytes.
 */
export function inline(
  data: string,
  loc: Loc,
  more: { filename?: string; type?: string | undefined } = {},
): InlineData {
  const read = readDataUrl(data)
  if (!read && /^data:/i.test(data)) throw cannotTake(loc, 'Gemini needs data, and this data: URL has none')
  const { type, base64 } = read ?? { type: '', base64: data }
  if (base64 === '') throw cannotTake(loc, 'Gemini does not accept an empty file')
  const mimeType = type || more.type || typeOfName(more.filename) || sniffBase64(base64)
  if (!mimeType) throw cannotTake(loc, 'Gemini needs to know the type of this file: send a data: URL with its type')
  return { mimeType, data: base64 }
}

function fileAt(fileUri: string, typeOfUnknown: string | undefined): MediaPart {
  const mimeType = typeOfName(/^[^?#]*/.exec(fileUri)?.[0]) ?? typeOfUnknown
  return { fileData: { ...(mimeType && { mimeType }), fileUri } }
}

function typeOfName(name: string | undefined): string | undefined {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(name ?? '')?.[1]?.toLowerCase()
  return extension && BY_EXTENSION.get(extension)
}
