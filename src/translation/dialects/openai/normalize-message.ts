import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { partsOf, pieceOf } from '../answer/unreadable-event.ts'

// Hosts of this format send reasoning in many ways. Callers get it as `reasoning_content`, and the answer as text.

/** Normalises a message or a delta. */
export function normalizeMessage(said: Fields): void {
  if (typeof said.content === 'object' && said.content !== null) splitParts(said)
  // Cloudflare sends tokens that are digits as numbers.
  if (typeof said.content === 'number') said.content = String(said.content)
  pieceOf(said.content)
  pieceOf(said.reasoning_content)
  pieceOf(said.refusal)
  if (said.reasoning !== undefined || said.reasoning_text !== undefined) nameReasoning(said)
}

/** Mistral and Databricks answer in parts; within one stream Mistral alternates between parts and text. */
function splitParts(said: Fields): void {
  const parts = partsOf(said.content)
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => pieceOf(text))
  const reasoning = parts.map(reasoningIn).join('')
  if (texts.length > 0 || reasoning === '') said.content = texts.join('')
  else delete said.content
  if (reasoning) said.reasoning_content = reasoning
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
function nameReasoning(said: Fields): void {
  const { reasoning, reasoning_text } = said
  if (isRecord(reasoning)) return
  if (said.reasoning_content == null) {
    const reasoningParts = textOf(reasoning) || textOf(reasoning_text)
    if (reasoningParts) said.reasoning_content = reasoningParts
  }
  delete said.reasoning
  delete said.reasoning_text
}
