import type { Fields } from '../../../base/schema/record.ts'
import { textOf } from '../../../base/schema/record.ts'

/** Cohere sends pieces of text with the probabilities of their tokens. Together they are the probability of the piece. */
export function toLogprobs(pieces: Fields[]): Fields {
  return { content: pieces.map(toPiece) }
}

function toPiece({ text, logprobs }: Fields): Fields {
  const values = Array.isArray(logprobs) ? logprobs.filter((value) => typeof value === 'number') : []
  const logprob = values.reduce((sum, value) => sum + value, 0)
  return { token: textOf(text), logprob, bytes: null, top_logprobs: [] }
}
