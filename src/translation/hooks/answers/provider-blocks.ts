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
  return { ...plain, provider_content: omissionOf(plain.provider_content, 'hooks') }
}

/** What stands for blocks that do not pass. */
export function omissionOf({ type }: Pick<ProviderContent, 'type'>, reason: 'hooks' | 'guardrails'): ProviderContent {
  return { type, blocks: [], omitted: [{ type: 'all', reason }] }
}
