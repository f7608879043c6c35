import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, nullable, open, optional } from '../../base/schema/fields.ts'

const EmbedFields = {
  model: optional(Type.String(), 'The path names the model; this has to be the same.'),
  content: freeObject({ description: 'The content, with `parts` that have a `text` each.' }),
  taskType: optional(Type.String(), 'What the vector is for, such as `RETRIEVAL_QUERY`.'),
  title: optional(Type.String(), 'The title of a document.'),
  outputDimensionality: optional(Type.Integer({ minimum: 1 }), 'The number of dimensions.'),
}

export const EmbedContentRequest = Type.Object(EmbedFields, {
  title: 'EmbedContentRequest',
  description: 'A content to turn into a vector.',
  ...open,
})
export type EmbedContentRequest = Static<typeof EmbedContentRequest>

export const BatchEmbedContentsRequest = Type.Object(
  { requests: Type.Array(EmbedContentRequest, { minItems: 1, maxItems: 2_000, description: 'The contents.' }) },
  { title: 'BatchEmbedContentsRequest', description: 'Contents to turn into vectors.', ...open },
)
export type BatchEmbedContentsRequest = Static<typeof BatchEmbedContentsRequest>

const ContentEmbedding = Type.Object(
  { values: Type.Array(Type.Number(), { description: 'The vector.' }) },
  { title: 'ContentEmbedding', description: 'A vector.', ...open },
)

const common = {
  usageMetadata: Type.Optional(freeObject({ description: 'Tokens used.' })),
  cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
  provider: Type.String({ description: 'The provider that answered.' }),
}

export const EmbedContentReply = Type.Object(
  { embedding: ContentEmbedding, ...common },
  { title: 'EmbedContentReply', description: 'The vector of a content.', ...open },
)

export const BatchEmbedContentsReply = Type.Object(
  { embeddings: Type.Array(ContentEmbedding, { description: 'A vector for each content.' }), ...common },
  { title: 'BatchEmbedContentsReply', description: 'The vectors of contents.', ...open },
)
