import type { ProviderContent } from '../../contract/provider-content.ts'
import { placedBlocks, withoutPlacedBlocks } from '../../contract/placed-blocks.ts'

// A filter hides something in the texts of an answer. It does not read the blocks of the provider's own tools, which may
// contain the same, so they do not pass it.

type Carrier = { provider_content?: ProviderContent | null }

export function hasBlocks(delta: Carrier): boolean {
  return delta.provider_content != null || placedBlocks(delta).length > 0
}

export function withoutBlocks<Message extends Carrier>(message: Message): Message {
  if (!hasBlocks(message)) return message
  const plain = withoutPlacedBlocks(message)
  if (!plain.provider_content) return plain
  const { type } = plain.provider_content
  return { ...plain, provider_content: { type, blocks: [], omitted: [{ type: 'all', reason: 'hooks' }] } }
}
