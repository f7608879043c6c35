import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import type { Target } from '../chat-codec.ts'
import type {
  EmbeddedText,
  EmbeddingAnswer,
  EmbeddingCall,
  EmbeddingCodec,
  EmbeddingReply,
} from '../embedding-codec.ts'
import { problem, problemIn } from '../openai/problem.ts'
import { isRecord, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { isVector, jsonRequest, textsOf, reportedCount } from './embedding-answer.ts'

// https://platform.openai.com/docs/api-reference/embeddings: the fields of our callers are passed on unchanged.

/** The standard format, and variants with other field names. */
export const openaiEmbeddings: EmbeddingCodec = {
  max: () => Number.POSITIVE_INFINITY,
  takesUser: true,
  encode,
  decode,
  problem,
}

// https://docs.mistral.ai/api/#tag/embeddings: it refuses unknown fields.
export const mistralEmbeddings: EmbeddingCodec = {
  ...openaiEmbeddings,
  takesUser: false,
  encode: ({ user: _, ...call }, target) => encode(renamedLength(call), target),
}

// https://docs.voyageai.com/reference/embeddings-api: it returns numbers if no format is named.
export const voyageEmbeddings: EmbeddingCodec = {
  ...openaiEmbeddings,
  takesUser: false,
  retrieval: () => ({ query: { input_type: 'query' }, document: { input_type: 'document' } }),
  encode: ({ user: _, encodingFormat, ...call }, target) => {
    const input = textsOf(call, 'Voyage AI')
    const packed = encodingFormat === 'base64' ? { encodingFormat } : {}
    return encode({ ...renamedLength(call), ...packed, input }, target)
  },
}

// https://api.jina.ai/redoc: the field for the format has another name.
export const jinaEmbeddings: EmbeddingCodec = {
  ...openaiEmbeddings,
  takesUser: false,
  encode: ({ user: _, encodingFormat: __, ...call }, target) => {
    return encode({ ...call, input: textsOf(call, 'Jina AI') }, target)
  },
}

// https://docs.perplexity.ai/api-reference/embeddings-post: its numbers are signed bytes.
export const perplexityEmbeddings: EmbeddingCodec = {
  ...openaiEmbeddings,
  encode: ({ encodingFormat: _, ...call }, { baseUrl, ...target }) => {
    return encode(call, { ...target, baseUrl: `${baseUrl}/v1` })
  },
  decode: (answer) => {
    const { data, ...reply } = decode(answer)
    return { ...reply, data: data.map((one) => ({ ...one, embedding: bytesIn(one.embedding) })) }
  },
}

function renamedLength({ dimensions, ...call }: EmbeddingCall): EmbeddingCall {
  return dimensions === undefined ? call : { ...call, extra: { output_dimension: dimensions, ...call.extra } }
}

function encode({ input, dimensions, encodingFormat, user, extra }: EmbeddingCall, { baseUrl, model }: Target) {
  const body = { input, encoding_format: encodingFormat, dimensions, user, ...extra, model }
  return jsonRequest(`${baseUrl}/embeddings`, body)
}

function decode({ text }: EmbeddingAnswer): EmbeddingReply {
  const value = tryParse(text)
  const failure = problemIn(value)
  if (failure) throw failure
  if (!isRecord(value) || !Array.isArray(value.data) || value.data.length === 0) throw notAnAnswer(text, 'embeddings')
  const { data, usage, ...more } = value
  if (!data.every(hasVector)) throw notAnAnswer(text, 'embeddings')
  const { prompt_tokens, total_tokens } = recordOf(usage)
  return {
    data: recordsIn(data) as EmbeddedText[],
    tokens: reportedCount(prompt_tokens) ?? reportedCount(total_tokens),
    more: { ...more, ...(isRecord(usage) && { usage }) },
  }
}

/** Models with several vectors for a text send them under another name. */
function hasVector(item: unknown): boolean {
  const { embedding, embeddings } = recordOf(item)
  return embedding === undefined ? Array.isArray(embeddings) : typeof embedding === 'string' || isVector(embedding)
}

function bytesIn(embedding: EmbeddedText['embedding']): number[] | undefined {
  return typeof embedding === 'string' ? [...new Int8Array(Buffer.from(embedding, 'base64'))] : embedding
}
