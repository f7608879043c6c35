import Type, { type Static } from '../schema/type.ts'
import { ChatRequest } from './chat.ts'
import { freeObject, nullable, optional, words } from '../schema/fields.ts'

const open = { additionalProperties: true }
const tokens = Type.Array(Type.Integer({ minimum: 0 }))

export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ description: 'The model, as `provider/model`.', examples: ['openai/text-embedding-3-small'] }),
    input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 }), tokens, Type.Array(tokens)], {
      description: 'A text, several, or the same as tokens.',
    }),
    encoding_format: optional(words(['float', 'base64']), 'How the numbers are written.', { default: 'float' }),
    dimensions: optional(Type.Integer({ minimum: 1 }), 'How many numbers, where the model can choose.'),
    user: optional(Type.String(), 'Who is asking, in your own system.'),
    metadata: optional(freeObject(), 'Your own notes on this call.'),
    fallbacks: optional(
      Type.Array(Type.String(), { maxItems: 3 }),
      'Models to try when one fails. Vectors of different models cannot be compared: name the same model elsewhere.',
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
    index: Type.Integer({ minimum: 0, description: 'Which of the texts.' }),
    embedding: Type.Union([Type.Array(Type.Number()), Type.String()], { description: 'Its vector.' }),
  },
  open,
)

export const EmbeddingsReply = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(embedding, { description: 'A vector for each text.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens of the input.' }),
        total_tokens: Type.Integer({ minimum: 0, description: 'All tokens together.' }),
      },
      { description: 'Tokens used.', ...open },
    ),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null when it is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'EmbeddingsReply', description: 'Vectors.', ...open },
)
export type EmbeddingsReply = Static<typeof EmbeddingsReply>
