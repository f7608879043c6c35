import type { ProviderContent } from '../../../contract/provider-content.ts'
import type { AnswerDelta } from '../../wire/answer.ts'

// A filter hides something in the texts of an answer. It does not read the blocks of the provider's own tools, which may
// contain the same, so they do not pass it.

type Carrier = { provider_content?: ProviderContent | null } & Pick<AnswerDelta, 'placedBlocks'>

export function hasBlocks(delta: Carrier): boolean {
  return delta.provider_content != null || delta.placedBlocks !== undefined
}

export function withoutBlocks<Message extends Carrier>(message: Message): Message {
  if (!hasBlocks(message)) return message
  const plain = { ...message }
  delete plain.placedBlocks
  if (!plain.provider_content) return plain
  const { type } = plain.provider_content
  return { ...plain, provider_content: { type, blocks: [], omitted: [{ type: 'all', reason: 'hooks' }] } }
}
