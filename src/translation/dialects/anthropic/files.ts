import type { FilePart } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import { readFileData } from '../data-url.ts'
import { sniffBase64 } from '../sniff-base64.ts'
import { textOfBase64 } from '../text-of-base64.ts'
import { imageOfBytes, imageOfUrl } from './images.ts'
import type { Encoding } from './encoding.ts'
import type { DocumentBlock, ImageBlock } from './messages-body.ts'

/** For files that the caller stores at the provider. */
const FILES_BETA = 'files-api-2025-04-14'

const TEXTUAL = /^text\/|[/+](json|x-ndjson|xml|yaml|x-yaml|javascript|csv|markdown)$/
const IMAGE_NAME = /\.(jpe?g|png|gif|webp)$/i

type Title = { title?: string }

export function fileBlock({ file }: FilePart, loc: Loc, encoding: Encoding): DocumentBlock | ImageBlock {
  const title: Title = typeof file.filename === 'string' && file.filename ? { title: file.filename } : {}
  if (typeof file.file_data === 'string') return blockOfBytes(file.file_data, title, loc, encoding)
  const id = file.file_id ?? ''
  if (/^https:\/\//i.test(id)) return blockOfUrl(id, title, loc, encoding)
  if (!id || id.includes(':')) throw cannotTake(loc, 'Anthropic fetches files from https:// URLs only')
  encoding.betas.add(FILES_BETA)
  return document({ type: 'file', file_id: id }, title, loc, encoding)
}

function blockOfUrl(url: string, title: Title, loc: Loc, encoding: Encoding): DocumentBlock | ImageBlock {
  const path = url.split(/[?#]/, 1)[0]!
  return IMAGE_NAME.test(path) ? imageOfUrl(url, loc, encoding) : document({ type: 'url', url }, title, loc, encoding)
}

function blockOfBytes(fileData: string, title: Title, loc: Loc, encoding: Encoding): DocumentBlock | ImageBlock {
  const { type: named, base64: data } = readFileData(fileData)
  const type = named || (sniffBase64(data) ?? '')
  if (type.startsWith('image/')) return imageOfBytes(type, data, loc, encoding)
  if (type === 'application/pdf')
    return document({ type: 'base64', media_type: 'application/pdf', data }, title, loc, encoding)
  if (type && !TEXTUAL.test(type)) throw cannotTake(loc, `Anthropic accepts PDF, text and image files, not ${type}`)
  return document({ type: 'text', media_type: 'text/plain', data: textIn(data, loc) }, title, loc, encoding)
}

function textIn(data: string, loc: Loc): string {
  const text = textOfBase64(data)
  if (text?.trim()) return text
  throw cannotTake(loc, 'Anthropic accepts PDF, text and image files; this file is none of them')
}

function document(source: DocumentBlock['source'], title: Title, loc: Loc, { traits }: Encoding): DocumentBlock {
  needs('files', traits, loc, 'Anthropic')
  return { type: 'document', source, ...title }
}
