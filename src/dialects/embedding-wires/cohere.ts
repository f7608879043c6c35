import { problem } from '../cohere/problem.ts'
import type { Target } from '../dialect.ts'
import type { EmbeddingAnswer, EmbeddingCall, EmbeddingFace, EmbeddingReply } from '../embedding-face.ts'
import { listOf, recordOf } from '../record.ts'
import { fieldsIn, jsonRequest, repliedWith, textsOf, toldCount } from './embedding-answer.ts'

// https://docs.cohere.com/reference/embed

const MOST_TEXTS = 96
/** It has to be told what the vectors are for; a caller who knows better says `input_type`. */
export const USUAL_PURPOSE = 'search_document'

export const cohereEmbeddings: EmbeddingFace = { most: () => MOST_TEXTS, encode, decode, problem }

function encode(call: EmbeddingCall, { baseUrl, model }: Target) {
  const { dimensions: output_dimension, extra } = call
  const texts = textsOf(call, 'Cohere')
  const body = { input_type: USUAL_PURPOSE, ...extra, model, texts, output_dimension, embedding_types: ['float'] }
  return jsonRequest(`${baseUrl}/embed`, body)
}

function decode({ text }: EmbeddingAnswer): EmbeddingReply {
  const { embeddings, meta } = fieldsIn(text)
  const { input_tokens } = recordOf(recordOf(meta).billed_units)
  return repliedWith(vectorsIn(embeddings), text, toldCount(input_tokens))
}

/** Numbers by their kind, or as older models have it, bare. */
export function vectorsIn(embeddings: unknown): unknown[] {
  return Array.isArray(embeddings) ? embeddings : listOf(recordOf(embeddings).float)
}
