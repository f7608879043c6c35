import { createHash } from 'node:crypto'
import type { EmbeddingsRequest } from '../../contract/embeddings.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'

const DEFAULT_DIMENSIONS = 256
const MAX_DIMENSIONS = 4096
const BYTES = 256

/** Vectors for the sandbox: of length one, equal for equal texts, and without meaning. */
export function simulatedEmbeddings({ input, dimensions }: EmbeddingsRequest) {
  const texts = textsIn(input)
  const size = Math.min(dimensions ?? DEFAULT_DIMENSIONS, MAX_DIMENSIONS)
  const prompt_tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / CHARS_PER_TOKEN), 0)
  return {
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, size) })),
    tokens: prompt_tokens,
  }
}

/** One text, several texts, the tokens of one text, or the tokens of several. */
function textsIn(input: EmbeddingsRequest['input']): string[] {
  if (typeof input === 'string') return [input]
  const isOne = input.length > 0 && typeof input[0] === 'number'
  return isOne ? [JSON.stringify(input)] : input.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
}

function vectorOf(text: string, size: number): number[] {
  const hash = createHash('shake256', { outputLength: size }).update(text).digest()
  const numbers = Array.from(hash, (byte) => byte / BYTES - 0.5)
  const length = Math.hypot(...numbers) || 1
  return numbers.map((number) => number / length)
}
