import type { EmbeddingCodec } from '../embedding-codec.ts'
import { bedrockEmbeddings } from './bedrock.ts'
import { cohereEmbeddings } from './cohere.ts'
import { geminiEmbeddings } from './gemini.ts'
import {
  jinaEmbeddings,
  mistralEmbeddings,
  openaiEmbeddings,
  perplexityEmbeddings,
  voyageEmbeddings,
} from './openai.ts'
import { vertexEmbeddings } from './vertex.ts'

/**
 * Embedding wire formats by name. The row of a provider names its format; formats of a dialect have the name of the
 * dialect.
 */
export const EMBEDDING_WIRES = {
  openai: openaiEmbeddings,
  bedrock: bedrockEmbeddings,
  cohere: cohereEmbeddings,
  gemini: geminiEmbeddings,
  jina: jinaEmbeddings,
  mistral: mistralEmbeddings,
  perplexity: perplexityEmbeddings,
  vertex: vertexEmbeddings,
  voyage: voyageEmbeddings,
} satisfies Record<string, EmbeddingCodec>

export type EmbeddingWire = keyof typeof EMBEDDING_WIRES
