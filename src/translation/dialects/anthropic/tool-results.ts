import type { Message } from '../../../contract/chat.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { contentBlocks } from './content.ts'
import type { Encoding } from './encoding.ts'
import type { ContentBlock, ToolResultBlock } from './messages-body.ts'
import { toolUseId } from './tool-uses.ts'

export function toolResult(message: Message, at: number, encoding: Encoding): ToolResultBlock {
  const { id } = encoding.calls.answered(message, at)
  const content = resultContent(message, at, encoding)
  const mark = typeof content === 'string' ? undefined : takeMark(content)
  return {
    type: 'tool_result',
    tool_use_id: toolUseId(id),
    ...(content.length > 0 && { content }),
    ...((message as Fields).is_error === true && { is_error: true }),
    ...(mark && { cache_control: mark }),
  }
}

function resultContent(message: Message, at: number, encoding: Encoding): string | ContentBlock[] {
  if (typeof message.content === 'string') return message.content
  return contentBlocks(message.content, ['messages', at, 'content'], encoding)
}

/** Blocks inside a result cannot be cached separately: their mark moves to the result. */
function takeMark(content: ContentBlock[]): ContentBlock['cache_control'] {
  const mark = content.findLast(({ cache_control }) => cache_control)?.cache_control
  for (const block of content) delete block.cache_control
  return mark
}
