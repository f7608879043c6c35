import Type, { type Static } from '../schema/type.ts'
import { freeObject, optional } from '../schema/fields.ts'

const blocks = Type.Array(freeObject())

const CountedMessage = Type.Object(
  {
    role: Type.String({ description: 'Who speaks.' }),
    content: Type.Union([Type.String(), blocks], { description: 'Text, or a list of content blocks.' }),
  },
  { description: 'One turn of a conversation.', additionalProperties: true },
)

export const CountTokensRequest = Type.Object(
  {
    model: Type.String({
      description:
        'The model whose tokens to count, as `provider/model`, or the bare name of a model that one provider has.',
    }),
    messages: Type.Array(CountedMessage, { description: 'The conversation.' }),
    system: Type.Optional(
      Type.Union([Type.String(), blocks, Type.Null()], {
        description: 'The system prompt: text, or a list of blocks.',
      }),
    ),
    tools: optional(blocks, 'Tools the model would be given.'),
    tool_choice: optional(freeObject(), 'Which tool the model would have to call.'),
  },
  {
    title: 'CountTokensRequest',
    description: 'A request in the messages format, to be counted and not to be run.',
    additionalProperties: true,
  },
)
export type CountTokensRequest = Static<typeof CountTokensRequest>

export const CountTokensResponse = Type.Object(
  { input_tokens: Type.Integer({ minimum: 0, description: 'Tokens the model would read.' }) },
  { title: 'CountTokensResponse', description: 'How large the request is.' },
)
export type CountTokensResponse = Static<typeof CountTokensResponse>
