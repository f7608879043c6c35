import { problem as noSuch } from '../../../contract/problems.ts'
import { problem } from '../bedrock/problem.ts'
import type { Target } from '../chat-codec.ts'
import type { EmbeddingAnswer, EmbeddingCall, EmbeddingCodec, EmbeddingReply } from '../embedding-codec.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { type Fields, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { DEFAULT_PURPOSE, RETRIEVAL, vectorsIn } from './cohere.ts'
import { fieldsIn, fixedLength, jsonRequest, repliedWith, textsOf, reportedCount } from './embedding-answer.ts'

// InvokeModel: every vendor has its own format there.
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html, …-embed.html (Cohere)
// https://docs.aws.amazon.com/nova/latest/userguide/embeddings-schema.html

const AMAZON = 'Amazon Bedrock'
const MAX_OF_COHERE = 96

type Write = (call: EmbeddingCall, texts: string[]) => Fields

const MAKERS: readonly [name: RegExp, most: number, write: Write][] = [
  [/titan-embed-text-v2/, 1, ({ dimensions, extra }, [inputText]) => ({ ...extra, inputText, dimensions })],
  [/titan-embed-image/, 1, titanImage],
  [/titan-embed/, 1, titanFirst],
  [/nova-.{0,100}embeddings/, 1, nova],
  [/cohere\.embed/, MAX_OF_COHERE, cohere],
]

export const bedrockEmbeddings: EmbeddingCodec = {
  max: ({ model }) => makerOf(model)[1],
  takesUser: false,
  retrieval: ({ model }) => (makerOf(model)[2] === cohere ? RETRIEVAL : undefined),
  encode,
  decode,
  problem,
}

function encode(call: EmbeddingCall, { baseUrl, model }: Target) {
  const [, , write] = makerOf(model)
  const body = write(call, textsOf(call, AMAZON))
  return jsonRequest(`${baseUrl}/model/${pathSegment(model)}/invoke`, body)
}

function makerOf(model: string) {
  const maker = MAKERS.find(([name]) => name.test(model))
  if (maker) return maker
  const message = `The embedding format of '${model.slice(0, 200)}' on ${AMAZON} is not known here: name a Titan, Nova or Cohere model.`
  throw noSuch('unsupported_endpoint', { message, param: 'model' })
}

function titanFirst(call: EmbeddingCall, [inputText]: string[]): Fields {
  fixedLength(call, AMAZON)
  return { ...call.extra, inputText }
}

function titanImage({ dimensions: outputEmbeddingLength, extra }: EmbeddingCall, [inputText]: string[]): Fields {
  return { ...extra, inputText, embeddingConfig: outputEmbeddingLength && { outputEmbeddingLength } }
}

function nova({ dimensions: embeddingDimension, extra }: EmbeddingCall, [value]: string[]): Fields {
  const text = { truncationMode: 'NONE', ...recordOf(extra.text), value }
  const fallback = { embeddingPurpose: 'GENERIC_INDEX' }
  return { taskType: 'SINGLE_EMBEDDING', singleEmbeddingParams: { ...fallback, ...extra, text, embeddingDimension } }
}

function cohere({ dimensions: output_dimension, extra }: EmbeddingCall, texts: string[]): Fields {
  return { input_type: DEFAULT_PURPOSE, ...extra, texts, output_dimension, embedding_types: ['float'] }
}

/** Titan and Nova report tokens in the body; for other models the service reports them in a header. */
function decode({ headers, text }: EmbeddingAnswer): EmbeddingReply {
  const { embedding, embeddings, inputTextTokenCount } = fieldsIn(text)
  const counted = reportedCount(inputTextTokenCount) ?? reportedCount(headers['x-amzn-bedrock-input-token-count'])
  const ofNova = recordsIn(embeddings).map((one) => one.embedding)
  const vectors = embedding ? [embedding] : ofNova.length > 0 ? ofNova : vectorsIn(embeddings)
  return repliedWith(vectors, text, counted)
}
