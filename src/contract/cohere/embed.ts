import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, nullable, open, optional, words } from '../../base/schema/fields.ts'
import { EmbeddingsRequest } from '../embeddings.ts'

const some = { minItems: 1, maxItems: 2048 }

export const EmbedRequest = Type.Object(
  {
    model: EmbeddingsRequest.properties.model,
    texts: optional(Type.Array(Type.String(), some), 'The texts.'),
    inputs: optional(
      Type.Array(freeObject(), some),
      'The same as objects with a `content`. Images are not supported here.',
    ),
    images: optional(Type.Array(Type.String()), 'Not supported here.'),
    input_type: optional(
      Type.String(),
      'What the vectors are for: `search_document`, `search_query`, `classification` or `clustering`.',
    ),
    embedding_types: optional(
      Type.Array(words(['float', 'base64', 'int8', 'uint8', 'binary', 'ubinary']), { minItems: 1 }),
      'The encodings of the vectors: `float` and `base64`.',
      { default: ['float'] },
    ),
    output_dimension: optional(
      Type.Integer({ minimum: 1 }),
      'The number of dimensions, if the model supports a choice.',
    ),
    truncate: optional(Type.String(), 'What to do with long texts: `NONE`, `START` or `END`; for models of Cohere.'),
    fallbacks: EmbeddingsRequest.properties.fallbacks,
    extra_headers: EmbeddingsRequest.properties.extra_headers,
  },
  {
    title: 'EmbedRequest',
    description: "Texts to turn into vectors, in Cohere's format. Fields not listed here are passed to the provider.",
    ...open,
  },
)
export type EmbedRequest = Static<typeof EmbedRequest>

export const EmbedReply = Type.Object(
  {
    id: Type.String({ description: 'Identifies this answer.' }),
    response_type: Type.Literal('embeddings_by_type'),
    embeddings: Type.Object(
      {
        float: Type.Optional(Type.Array(Type.Array(Type.Number()), { description: 'Vectors of numbers.' })),
        base64: Type.Optional(Type.Array(Type.String(), { description: 'Vectors of 32-bit floats, packed.' })),
      },
      { description: 'The vectors of all texts, by their encoding.' },
    ),
    texts: Type.Array(Type.String(), { description: 'The texts.' }),
    meta: freeObject({ description: 'The version of the format, and the tokens in `billed_units`.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'EmbedReply', description: "Vectors, in Cohere's format.", ...open },
)
export type EmbedReply = Static<typeof EmbedReply>
