import type { ImagePart } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { imageOf } from '../request/messages.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import { readDataUrl } from '../data-url.ts'
import type { Encoding } from './encoding.ts'
import type { ImageBlock, ImageType } from './messages-body.ts'

const TYPES: ReadonlySet<string> = new Set<ImageType>(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

export function imageBlock(part: ImagePart, loc: Loc, encoding: Encoding): ImageBlock {
  const { url, detail } = imageOf(part)
  if (detail != null && detail !== 'auto')
    encoding.notes.dropped('messages.image_url.detail', 'this provider has no such field')
  const data = readDataUrl(url)
  if (data) return imageOfBytes(data.type, data.base64, loc, encoding)
  if (!/^https:\/\//i.test(url))
    throw cannotTake(loc, 'Anthropic accepts images as an https:// URL or a base64 data: URL')
  return imageOfUrl(url, loc, encoding)
}

export function imageOfUrl(url: string, loc: Loc, encoding: Encoding): ImageBlock {
  needs('vision', encoding.traits, loc, 'Anthropic')
  return { type: 'image', source: { type: 'url', url } }
}

export function imageOfBytes(type: string, data: string, loc: Loc, encoding: Encoding): ImageBlock {
  needs('vision', encoding.traits, loc, 'Anthropic')
  if (!isImageType(type))
    throw cannotTake(
      loc,
      `Anthropic accepts JPEG, PNG, GIF and WebP images, not ${type || 'images of an unknown type'}`,
    )
  return { type: 'image', source: { type: 'base64', media_type: type, data } }
}

function isImageType(type: string): type is ImageType {
  return TYPES.has(type)
}
