import type { Target } from '../chat-codec.ts'
import type { EmbeddingAnswer, EmbeddingCall, EmbeddingCodec, EmbeddingReply } from '../embedding-codec.ts'
import { problem } from '../gemini/problem.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { recordOf, recordsIn } from '../../../base/schema/record.ts'
import { fieldsIn, jsonRequest, repliedWith, textsOf, reportedCount } from './embedding-answer.ts'

// https://ai.google.dev/api/embeddings#method:-models.batchembedcontents

const MAX_TEXTS = 100

export const geminiEmbeddings: EmbeddingCodec = { max: () => MAX_TEXTS, takesUser: false, encode, decode, problem }

function encode(call: EmbeddingCall, { baseUrl, model }: Target) {
  const { dimensions: outputDimensionality, extra } = call
  const { task_type, ...more } = extra
  const about = { ...(task_type !== undefined && { taskType: task_type }), ...more, outputDimensionality }
  const requests = textsOf(call, 'Google').map((text) => {
    return { ...about, model: `models/${model}`, content: { parts: [{ text }] } }
  })
  return jsonRequest(`${baseUrl}/models/${pathSegment(model)}:batchEmbedContents`, { requests })
}

function decode({ text }: EmbeddingAnswer): EmbeddingReply {
  const { embeddings, usageMetadata } = fieldsIn(text)
  const vectors = recordsIn(embeddings).map(({ values }) => values)
  return repliedWith(vectors, text, reportedCount(recordOf(usageMetadata).promptTokenCount))
}
