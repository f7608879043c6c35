import { countOf, type Fields } from '../../../base/schema/record.ts'
import type { ProviderBlocks } from '../provider-blocks.ts'
import { isOfAnswer } from './citations.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

// Blocks that are not known here, and sources of the plan or the reasoning, travel through the caller as `provider_content`.

export const MAKER = 'cohere'

const CHAT_CONTENT_TYPES: ReadonlySet<unknown> = new Set(['text', 'thinking'])

/** Notes a block of the answer, whose text begins at `start`. */
export function noteBlock(blocks: ProviderBlocks, block: Fields, start: number): void {
  if (block.type === 'text') blocks.text({ start, end: start + toText(block.text ?? '').length })
  else if (!CHAT_CONTENT_TYPES.has(block.type)) blocks.raw(block)
}

/** A source of the plan has no place in the answer. */
export function noteCitation(blocks: ProviderBlocks, citation: Fields): void {
  if (!isOfAnswer(citation)) blocks.raw({ type: 'citation', citation, block: countOf(citation.content_index) })
}
