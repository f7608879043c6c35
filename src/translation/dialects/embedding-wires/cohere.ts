import { problem } from '../cohere/problem.ts'
import type { Target } from '../chat-codec.ts'
import type { EmbeddingAnswer, EmbeddingCall, EmbeddingCodec, EmbeddingReply } from '../embedding-codec.ts'
import { listOf, recordOf } from '../../../base/schema/record.ts'
import { fieldsIn, jsonRequest, repliedWith, textsOf, reportedCount } from './embedding-answer.ts'

// https://docs.cohere.com/reference/embed

const MAX_TEXTS = 96
/** The API needs to know the purpose of the vectors; a caller can override it with `input_type`. */
export const DEFAULT_PURPOSE = 'search_document'

export const RETRIEVAL = { query: { input_type: 'search_query' }, document: { input_type: DEFAULT_PURPOSE } }

export const cohereEmbeddings: EmbeddingCodec = {
  max: () => MAX_TEXTS,
  takesUser: false,
  retrieval: () => RETRIEVAL,
  encode,
  decode,
  problem,
}

function encode(call: EmbeddingCall, { baseUrl, model }: Target) {
  const { dimensions: output_dimension, extra } = call
  const texts = textsOf(call, 'Cohere')
  const body = { input_type: DEFAULT_PURPOSE, ...extra, model, texts, output_dimension, embedding_types: ['float'] }
  return jsonRequest(`${baseUrl}/embed`, body)
}

function decode({ text }: EmbeddingAnswer): EmbeddingReply {
  const { embeddings, meta } = fieldsIn(text)
  const { input_tokens } = recordOf(recordOf(meta).billed_units)
  return repliedWith(vectorsIn(embeddings), text, reportedCount(input_tokens))
}

/** Vectors by type, or as a bare list in answers of older models. */
export function vectorsIn(embeddings: unknown): unknown[] {
  return Array.isArray(embeddings) ? embeddings : listOf(recordOf(embeddings).float)
}
