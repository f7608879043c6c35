import type { WireRequest } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { cannotTake } from '../cannot-take.ts'
import type { EmbeddingCall, EmbeddingReply } from '../embedding-codec.ts'
import { type Fields, listOf, recordOf } from '../../schema/record.ts'

/** The inputs as texts. Of tokens only the maker of the vocabulary knows what they mean. */
export function textsOf({ input }: EmbeddingCall, provider: string): string[] {
  const inputs = typeof input === 'string' ? [input] : input
  const texts = inputs.filter((one) => typeof one === 'string')
  if (texts.length === inputs.length) return texts
  throw cannotTake(['input'], `${provider} takes texts here, not tokens`)
}

export function fixedLength(call: EmbeddingCall, provider: string): void {
  if (call.dimensions === undefined) return
  throw cannotTake(['dimensions'], `this model of ${provider} does not let you choose`)
}

/** What is undefined is left out. */
export function jsonRequest(url: string, body: Fields): WireRequest {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return { method: 'POST', url, headers, body: JSON.stringify(body) }
}

export function fieldsIn(text: string): Fields {
  return recordOf(tryParse(text))
}

/** Vectors of numbers, or the reason why it is no answer. */
export function repliedWith(vectors: readonly unknown[], text: string, tokens?: number | undefined): EmbeddingReply {
  const data = vectors.map((vector) => ({ object: 'embedding', embedding: listOf(vector).map(Number) }))
  if (data.length === 0 || data.some(({ embedding }) => embedding.length === 0)) throw notAnAnswer(text, 'embeddings')
  return { data, tokens }
}

/** A count that was told; nothing where it was not. */
export function reportedCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof count === 'number' && count >= 0 ? count : undefined
}
