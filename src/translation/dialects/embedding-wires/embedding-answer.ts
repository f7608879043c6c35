import type { WireRequest } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { cannotTake } from '../cannot-take.ts'
import type { EmbeddingCall, EmbeddingReply } from '../embedding-codec.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'
import { type Fields, listOf, readCount, recordOf } from '../../../base/schema/record.ts'
import { writeJson } from '../../json/written-numbers.ts'

/** The inputs as texts. Tokens depend on the vocabulary of a model, so they cannot be translated. */
export function textsOf({ input }: EmbeddingCall, provider: string): string[] {
  const inputs = typeof input === 'string' ? [input] : input
  const texts = inputs.filter((one) => typeof one === 'string')
  if (texts.length === inputs.length) return texts
  throw cannotTake(['input'], `${provider} accepts texts here, not tokens`)
}

export function fixedLength(call: EmbeddingCall, provider: string): void {
  if (call.dimensions === undefined) return
  throw cannotTake(['dimensions'], `this model of ${provider} does not support a choice`)
}

/** Undefined members are dropped. */
export function jsonRequest(url: string, body: Fields): WireRequest {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return { method: 'POST', url, headers, body: writeJson(body) }
}

export function fieldsIn(text: string): Fields {
  return recordOf(tryParse(text))
}

/** Vectors of numbers, or a problem that says why the text is not an answer. */
export function repliedWith(vectors: readonly unknown[], text: string, tokens?: number | undefined): EmbeddingReply {
  const data = vectors.map((vector) => ({ object: 'embedding', embedding: listOf(vector).map(toNumber) }))
  if (data.length === 0 || !data.every(({ embedding }) => isVector(embedding))) throw notAnAnswer(text, 'embeddings')
  return { data, tokens }
}

/** A list of numbers that is not empty. */
export function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite)
}

/** A reported count; undefined if there is none. */
export function reportedCount(value: unknown): number | undefined {
  return value == null ? undefined : readCount(value)
}
