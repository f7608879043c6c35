import type { EmbedReply, EmbedRequest } from '../../../contract/cohere/embed.ts'
import type { EmbeddingsReply, EmbeddingsRequest } from '../../../contract/embeddings.ts'
import { cannotTake } from '../../dialects/cannot-take.ts'
import type { Note } from '../../dialects/chat-codec.ts'
import { type Fields, isRecord, listOf } from '../../../base/schema/record.ts'

// Cohere's format for embeddings: https://docs.cohere.com/reference/embed

const OURS: readonly string[] = ['float', 'base64']

/** The request in our own format. What the vectors are for is said to each provider in its own words. */
export function toEmbeddings(body: EmbedRequest): EmbeddingsRequest {
  const {
    texts: _,
    inputs: __,
    images,
    input_type: ___,
    embedding_types,
    output_dimension,
    truncate: ____,
    ...rest
  } = body
  if (images?.length) throw cannotTake(['images'], 'only text can be embedded here')
  const other = embedding_types?.findIndex((type) => !OURS.includes(type)) ?? -1
  if (other >= 0) throw cannotTake(['embedding_types', other], 'vectors come as `float` or `base64` here')
  return { ...rest, input: textsOf(body), ...(output_dimension != null && { dimensions: output_dimension }) }
}

function textsOf({ texts, inputs }: EmbedRequest): string[] {
  if (Boolean(texts) === Boolean(inputs)) throw cannotTake(['texts'], 'send either `texts` or `inputs`')
  return texts ?? inputs!.map(({ content }, at) => textIn(content, at))
}

function textIn(content: unknown, at: number): string {
  const parts = listOf(content)
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
  if (texts.length > 0 && texts.length === parts.length) return texts.join('\n')
  throw cannotTake(['inputs', at, 'content'], 'only text can be embedded here: send parts that have a `text` each')
}

/** The fields that say to a provider what the vectors are for. `retrieval` is what it has for searches. */
export function purposeFields(body: EmbedRequest, retrieval: { query: Fields; document: Fields } | undefined): Fields {
  const { input_type, truncate } = body
  if (retrieval?.query.input_type === 'search_query')
    return { ...(input_type != null && { input_type }), ...(truncate != null && { truncate }) }
  if (input_type === 'search_query') return retrieval?.query ?? {}
  return input_type === 'search_document' ? (retrieval?.document ?? {}) : {}
}

/** Notes about the fields of Cohere that a provider did not get in any form. */
export function lostFields({ input_type, truncate }: EmbedRequest, fields: Fields): Note[] {
  const isSaid = Object.keys(fields).length > 0
  const lost = [...(input_type && !isSaid ? ['input_type'] : []), ...(truncate && !fields.truncate ? ['truncate'] : [])]
  return lost.map((field) => ({ field, action: 'dropped', reason: 'this model has no such field' }))
}

export function fromEmbeddings(body: EmbedRequest, reply: EmbeddingsReply, id: string): EmbedReply {
  const vectors = reply.data.map(({ embedding }) => embedding as number[])
  const types = body.embedding_types ?? ['float']
  return {
    id,
    response_type: 'embeddings_by_type',
    embeddings: {
      ...(types.includes('float') && { float: vectors }),
      ...(types.includes('base64') && { base64: vectors.map(packed) }),
    },
    texts: textsOf(body),
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: reply.usage.prompt_tokens } },
    model: reply.model,
    cost: reply.cost,
    provider: reply.provider,
  }
}

function packed(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64')
}
