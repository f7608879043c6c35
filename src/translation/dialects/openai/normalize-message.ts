import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { partsOf, pieceOf } from '../answer/unreadable-event.ts'

// Hosts of this format send reasoning in many ways. Callers get it as `reasoning_content`, and the answer as text.

/** Normalises a message or a delta. */
export function normalizeMessage(message: Fields): void {
  if (typeof message.content === 'object' && message.content !== null) splitParts(message)
  // Cloudflare sends tokens that are digits as numbers.
  if (typeof message.content === 'number') message.content = String(message.content)
  pieceOf(message.content)
  pieceOf(message.reasoning_content)
  pieceOf(message.refusal)
  if (message.reasoning !== undefined || message.reasoning_text !== undefined) nameReasoning(message)
}

/** Mistral and Databricks answer in parts; within one stream Mistral alternates between parts and text. */
function splitParts(message: Fields): void {
  const parts = partsOf(message.content)
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => pieceOf(text))
  const reasoning = parts.map(reasoningIn).join('')
  if (texts.length > 0 || reasoning === '') message.content = texts.join('')
  else delete message.content
  if (reasoning) message.reasoning_content = reasoning
}

function reasoningIn({ type, thinking, summary }: Fields): string {
  if (type === 'thinking') return typeof thinking === 'string' ? thinking : textsIn(thinking)
  return type === 'reasoning' ? textsIn(summary) : ''
}

function textsIn(parts: unknown): string {
  return recordsIn(parts)
    .map(({ text }) => textOf(text))
    .join('')
}

/** Some hosts send the same reasoning under two names. */
function nameReasoning(message: Fields): void {
  const { reasoning, reasoning_text } = message
  if (isRecord(reasoning)) return
  if (message.reasoning_content == null) {
    const reasoningParts = textOf(reasoning) || textOf(reasoning_text)
    if (reasoningParts) message.reasoning_content = reasoningParts
  }
  delete message.reasoning
  delete message.reasoning_text
}
