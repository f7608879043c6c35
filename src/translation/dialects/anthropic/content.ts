import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { textOfPart } from '../request/messages.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Notes } from '../notes.ts'
import { cacheMark } from './cache-marks.ts'
import { fileBlock } from './files.ts'
import { imageBlock } from './images.ts'
import type { Encoding } from './encoding.ts'
import type { ContentBlock, TextBlock } from './messages-body.ts'

type Content = Message['content']

/** The content of a user or a tool. */
export function contentBlocks(content: Content, loc: Loc, encoding: Encoding): ContentBlock[] {
  if (!Array.isArray(content)) return bareText(content)
  return content.flatMap((part, at) => withMark(blocksOf(part, [...loc, at], encoding), part, encoding.notes))
}

/** Content that can only be text: system messages and those of the assistant. */
export function textBlocks(content: Content, loc: Loc, notes: Notes): TextBlock[] {
  if (!Array.isArray(content)) return bareText(content)
  return content.flatMap((part, at) => {
    const text = textOfPart(part)
    if (text === undefined) throw cannotTake([...loc, at], `Anthropic accepts only text here, not ${part.type}`)
    return withMark(bareText(text), part, notes)
  })
}

function blocksOf(part: ContentPart, loc: Loc, encoding: Encoding): ContentBlock[] {
  if (part.type === 'image_url') return [imageBlock(part, loc, encoding)]
  if (part.type === 'file') return [fileBlock(part, loc, encoding)]
  if (part.type === 'input_audio') throw cannotTake(loc, 'Anthropic models do not accept audio input')
  return bareText(textOfPart(part))
}

/** Blocks without a visible character are refused. */
function bareText(text: string | null | undefined): TextBlock[] {
  return typeof text === 'string' && /\S/.test(text) ? [{ type: 'text', text }] : []
}

function withMark<Block extends ContentBlock>(blocks: Block[], { cache_control }: ContentPart, notes: Notes): Block[] {
  if (cache_control && blocks[0]) blocks[0].cache_control = cacheMark(cache_control, notes)
  return blocks
}
