import Type, { type Static } from '../base/schema/type.ts'
import { ChatRequest } from './chat.ts'
import { freeObject, nullable, open, optional, words } from '../base/schema/fields.ts'

const some = { minItems: 1 }
const tokens = Type.Array(Type.Integer({ minimum: 0 }), some)

export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ description: 'The model, as `provider/model`.', examples: ['openai/text-embedding-3-small'] }),
    input: Type.Union([Type.String(), Type.Array(Type.String(), some), tokens, Type.Array(tokens, some)], {
      description: 'A text, several texts, or the same as tokens.',
    }),
    encoding_format: optional(words(['float', 'base64']), 'The encoding of the vectors.', { default: 'float' }),
    dimensions: optional(Type.Integer({ minimum: 1 }), 'The number of dimensions, if the model supports a choice.'),
    user: optional(Type.String(), 'Your own identifier of the end user.'),
    metadata: optional(freeObject(), 'Your own metadata of this call.'),
    fallbacks: optional(
      Type.Array(Type.String(), { maxItems: 3 }),
      'Models to try if one fails. Vectors of different models cannot be compared: name the same model at other providers.',
    ),
    extra_headers: ChatRequest.properties.extra_headers,
  },
  {
    title: 'EmbeddingsRequest',
    description: 'Texts to turn into vectors. Fields not listed here are passed to the provider.',
    ...open,
  },
)
export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>

const embedding = Type.Object(
  {
    object: Type.Optional(Type.String({ description: '`embedding`, mostly.' })),
    index: Type.Integer({ minimum: 0, description: 'The index of the text.' }),
    embedding: Type.Union([Type.Array(Type.Number()), Type.String()], { description: 'The vector of the text.' }),
  },
  open,
)

export const EmbeddingsReply = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'The id of the answer, which clients of Mistral demand.' })),
    object: Type.Literal('list'),
    data: Type.Array(embedding, { description: 'A vector for each text.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens of the input.' }),
        total_tokens: Type.Integer({ minimum: 0, description: 'The total number of tokens.' }),
      },
      { description: 'Tokens used.', ...open },
    ),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'EmbeddingsReply', description: 'Vectors.', ...open },
)
export type EmbeddingsReply = Static<typeof EmbeddingsReply>
