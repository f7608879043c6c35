import type { Message } from '../../../contract/chat.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/**
 * Reasoning as it travels through the caller, who sends it back unchanged, as `reasoning_details` of the assistant message.
 * The signature (or the encrypted data) allows the model to continue after a tool has run.
 *
 *   { "type": "bedrock.reasoning", "text": "…", "signature": "…" }
 *   { "type": "bedrock.redacted", "data": "…" }
 */
type ReasoningDetail =
  | { type: 'bedrock.reasoning'; text: string; signature: string }
  | { type: 'bedrock.redacted'; data: string }

/** Reasoning from one block, or joined from the pieces of a stream. */
export type ReasoningBlock = { text: string; signature: string; redacted: string }

/** Undefined for reasoning without a signature, which the provider would refuse in a later request. */
export function reasoningDetail({ text, signature, redacted }: ReasoningBlock): ReasoningDetail | undefined {
  if (redacted) return { type: 'bedrock.redacted', data: redacted }
  return signature ? { type: 'bedrock.reasoning', text, signature } : undefined
}

export function reasoningIn(reasoningContent: Fields): ReasoningBlock {
  const { text, signature } = recordOf(reasoningContent.reasoningText)
  return { text: textOf(text), signature: textOf(signature), redacted: textOf(reasoningContent.redactedContent) }
}

/** The reasoning blocks of an earlier turn. Claude recognises its signatures on every platform. */
export function reasoningBlocks(message: Message): Fields[] {
  return recordsIn((message as Fields).reasoning_details).flatMap((detail): Fields[] => {
    const signature = textOf(detail.signature)
    if (detail.type === 'bedrock.redacted' && textOf(detail.data))
      return [{ reasoningContent: { redactedContent: detail.data } }]
    if (!signature || (detail.type !== 'bedrock.reasoning' && detail.type !== 'anthropic.thinking')) return []
    return [{ reasoningContent: { reasoningText: { text: textOf(detail.text ?? detail.thinking), signature } } }]
  })
}
