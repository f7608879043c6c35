import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import type { ModelTraits } from '../model-traits.ts'
import { imageOf, textOfPart } from '../request/messages.ts'
import type { PastCalls } from '../request/past-calls.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import { readDataUrl } from '../data-url.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { cachePoint } from './cache-points.ts'
import { documentOf } from './document.ts'

export type Block = Fields

/** The state of translating a conversation. */
export type Translation = {
  traits: ModelTraits | undefined
  notes: Notes
  documentNames: Set<string>
  calls: PastCalls
}

/**
 * The content of a message as blocks, each followed by its cache mark. Blank texts are dropped, because they would be
 * refused.
 */
export function contentBlocks({ content }: Message, loc: Loc, translation: Translation): Block[] {
  if (typeof content === 'string') return textBlocks(content)
  return (content ?? []).flatMap((part, at) => {
    const blocks = partBlocks(part, [...loc, 'content', at], translation)
    return part.cache_control && blocks.length > 0
      ? [...blocks, cachePoint(part.cache_control, translation.notes)]
      : blocks
  })
}

/** Like contentBlocks, for messages that may contain text only. */
export function textOnlyBlocks(message: Message, loc: Loc, translation: Translation): Block[] {
  const { content } = message
  const at = Array.isArray(content) ? content.findIndex((part) => textOfPart(part) === undefined) : -1
  if (at >= 0)
    throw cannotTake(
      [...loc, 'content', at],
      `Amazon Bedrock accepts only text in a message of the role "${message.role}"`,
    )
  return contentBlocks(message, loc, translation)
}

function textBlocks(text: string): Block[] {
  return text.trim() === '' ? [] : [{ text }]
}

function partBlocks(part: ContentPart, loc: Loc, translation: Translation): Block[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textBlocks(textOfPart(part)!)
    case 'image_url':
      return [imageBlock(imageOf(part).url, [...loc, 'image_url'], translation)]
    case 'file':
      return [fileBlock(part, loc, translation)]
    default:
      throw cannotTake(loc, 'Amazon Bedrock does not accept audio in a conversation')
  }
}

const IMAGE_FORMATS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

function imageBlock(url: string, loc: Loc, { traits }: Translation): Block {
  needs('vision', traits, loc, 'Amazon Bedrock')
  const data = readDataUrl(url)
  if (!data) throw cannotTake(loc, 'Amazon Bedrock needs the bytes of an image as a data: URL, not its address')
  const format = IMAGE_FORMATS[data.type]
  if (!format) throw cannotTake(loc, 'Amazon Bedrock accepts PNG, JPEG, GIF and WebP images')
  return { image: { format, source: { bytes: data.base64 } } }
}

function fileBlock(part: Extract<ContentPart, { type: 'file' }>, loc: Loc, translation: Translation): Block {
  const { file_data } = part.file
  if (file_data?.startsWith('data:image/')) return imageBlock(file_data, [...loc, 'file'], translation)
  needs('files', translation.traits, [...loc, 'file'], 'Amazon Bedrock')
  return { document: documentOf(part, loc, translation.documentNames) }
}
