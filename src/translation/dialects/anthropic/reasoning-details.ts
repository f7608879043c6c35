import type { ThinkingBlock } from './messages-body.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'

/**
 * Reasoning as it travels through the caller. The signature (or the encrypted data) allows the model to continue after a
 * tool has run. The caller sends the list back unchanged, as `reasoning_details` of its message:
 *
 *   { "type": "anthropic.thinking", "thinking": "…", "signature": "…" }
 *   { "type": "anthropic.redacted_thinking", "data": "…" }
 */
export type ReasoningDetail =
  | { type: 'anthropic.thinking'; thinking: string; signature: string }
  | { type: 'anthropic.redacted_thinking'; data: string }

/** Undefined for reasoning without a signature, which the provider would refuse in a later request. */
export function reasoningDetail(block: Fields): ReasoningDetail | undefined {
  const thought = thinkingBlock(block)
  if (!thought) return undefined
  if (thought.type === 'redacted_thinking') return { type: 'anthropic.redacted_thinking', data: thought.data }
  return { type: 'anthropic.thinking', thinking: thought.thinking, signature: thought.signature }
}

/** The reasoning in a message of the history: ours, or `thinking_blocks`, as other gateways call them. */
export function reasoningOf(message: Fields): ThinkingBlock[] {
  const details = recordsIn(message.reasoning_details).filter(isOurs)
  const blocks = details.length > 0 ? details.map(withoutPrefix) : recordsIn(message.thinking_blocks)
  return blocks.flatMap((block) => thinkingBlock(block) ?? [])
}

const PREFIX = 'anthropic.'

function isOurs({ type }: Fields): boolean {
  return typeof type === 'string' && type.startsWith(PREFIX)
}

function withoutPrefix(detail: Fields): Fields {
  return { ...detail, type: textOf(detail.type).slice(PREFIX.length) }
}

function thinkingBlock({ type, thinking, signature, data }: Fields): ThinkingBlock | undefined {
  if (type === 'redacted_thinking' && typeof data === 'string' && data) return { type, data }
  if (type !== 'thinking' || typeof signature !== 'string' || !signature) return undefined
  return { type, thinking: textOf(thinking), signature }
}
