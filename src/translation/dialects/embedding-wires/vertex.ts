import type { Target } from '../chat-codec.ts'
import type { EmbeddingAnswer, EmbeddingCall, EmbeddingCodec, EmbeddingReply } from '../embedding-codec.ts'
import { problem } from '../gemini/problem.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { type Fields, isRecord, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { fieldsIn, jsonRequest, repliedWith, textsOf, reportedCount } from './embedding-answer.ts'

// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api. The latest models have a
// method of their own, and the model for images has its own fields.

const GOOGLE = 'Google Vertex AI'
const MAX_TEXTS = 250
const OF_CONTENT = /gemini-embedding-2|maas/
const IMAGE_MODELS = /^multimodalembedding/
const ONE_BY_ONE = /^gemini|maas|^multimodalembedding/

export const vertexEmbeddings: EmbeddingCodec = { max, takesUser: false, encode, decode, problem }

function max({ model }: Target): number {
  return ONE_BY_ONE.test(model) ? 1 : MAX_TEXTS
}

function encode(call: EmbeddingCall, { baseUrl, model }: Target) {
  const texts = textsOf(call, GOOGLE)
  const [method, body] = OF_CONTENT.test(model)
    ? (['embedContent', contentBody(call, texts)] as const)
    : (['predict', IMAGE_MODELS.test(model) ? imageBody(call, texts) : predictBody(call, texts)] as const)
  return jsonRequest(`${baseUrl}/models/${pathSegment(model)}:${method}`, body)
}

function contentBody({ dimensions: outputDimensionality, extra }: EmbeddingCall, [text]: string[]): Fields {
  const { task_type: taskType, ...config } = extra
  const embedContentConfig = { taskType, ...config, outputDimensionality }
  return { content: { role: 'user', parts: [{ text }] }, embedContentConfig }
}

function predictBody({ dimensions: outputDimensionality, extra }: EmbeddingCall, texts: string[]): Fields {
  const { task_type, title, ...parameters } = extra
  const instances = texts.map((content) => ({ content, task_type, title }))
  return { instances, parameters: { ...parameters, outputDimensionality } }
}

function imageBody({ dimensions: dimension, extra }: EmbeddingCall, texts: string[]): Fields {
  return { instances: texts.map((text) => ({ text })), parameters: { ...extra, dimension } }
}

function decode({ text }: EmbeddingAnswer): EmbeddingReply {
  const { predictions, embedding, usageMetadata } = fieldsIn(text)
  if (isRecord(embedding))
    return repliedWith([embedding.values], text, reportedCount(recordOf(usageMetadata).promptTokenCount))
  const all = recordsIn(predictions)
  const vectors = all.map(({ embeddings, textEmbedding }) => textEmbedding ?? recordOf(embeddings).values)
  return repliedWith(vectors, text, countIn(all))
}

/** If one count is missing, the sum is meaningless. */
function countIn(predictions: readonly Fields[]): number | undefined {
  const counts = predictions.map(({ embeddings }) => {
    return reportedCount(recordOf(recordOf(embeddings).statistics).token_count)
  })
  return counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0)
}
