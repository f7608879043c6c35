import type { Message } from '../../contract/chat.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../schema/record.ts'

/**
 * Thoughts as they travel through the caller, who sends them back as they came, as `reasoning_details` of the assistant
 * message: the signature (or the sealed data) is what lets the model take them up again after a tool has run.
 *
 *   { "type": "bedrock.reasoning", "text": "…", "signature": "…" }
 *   { "type": "bedrock.redacted", "data": "…" }
 */
export type ReasoningDetail =
  | { type: 'bedrock.reasoning'; text: string; signature: string }
  | { type: 'bedrock.redacted'; data: string }

/** A thought as a block of the wire holds it, or as the pieces of a stream amount to it. */
export type ReasoningBlock = { text: string; signature: string; redacted: string }

/** Undefined for a thought without a signature: nobody could use it again. */
export function reasoningDetail({ text, signature, redacted }: ReasoningBlock): ReasoningDetail | undefined {
  if (redacted) return { type: 'bedrock.redacted', data: redacted }
  return signature ? { type: 'bedrock.reasoning', text, signature } : undefined
}

export function reasoningIn(reasoningContent: Fields): ReasoningBlock {
  const { text, signature } = recordOf(reasoningContent.reasoningText)
  return { text: textOf(text), signature: textOf(signature), redacted: textOf(reasoningContent.redactedContent) }
}

/** The blocks that the thoughts of an earlier turn become again. Claude knows its signatures wherever it runs. */
export function reasoningBlocks(message: Message): Fields[] {
  return recordsIn((message as Fields).reasoning_details).flatMap((detail): Fields[] => {
    const signature = textOf(detail.signature)
    if (detail.type === 'bedrock.redacted' && textOf(detail.data))
      return [{ reasoningContent: { redactedContent: detail.data } }]
    if (!signature || (detail.type !== 'bedrock.reasoning' && detail.type !== 'anthropic.thinking')) return []
    return [{ reasoningContent: { reasoningText: { text: textOf(detail.text ?? detail.thinking), signature } } }]
  })
}
