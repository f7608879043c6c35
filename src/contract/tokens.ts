import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, openObject, optional } from '../base/schema/fields.ts'

const blocks = Type.Array(openObject('CountedBlock', 'type', 'One block of a message, or a tool.'))

const CountedMessage = Type.Object(
  {
    role: Type.String({ description: 'The author of the message.' }),
    content: Type.Union([Type.String(), blocks], { description: 'Text, or a list of content blocks.' }),
  },
  { description: 'One turn of a conversation.', additionalProperties: true },
)

export const CountTokensRequest = Type.Object(
  {
    model: Type.String({
      description:
        'The model whose tokens are counted, as `provider/model`, or the bare name of a model that only one provider has.',
    }),
    messages: Type.Array(CountedMessage, { description: 'The conversation.' }),
    system: optional(Type.Union([Type.String(), blocks]), 'The system prompt: text, or a list of blocks.'),
    tools: optional(blocks, 'The tools of the request.'),
    tool_choice: optional(freeObject(), 'The tool that the model would have to call.'),
  },
  {
    title: 'CountTokensRequest',
    description: 'A request in the messages format, which is counted and not run.',
    additionalProperties: true,
  },
)
export type CountTokensRequest = Static<typeof CountTokensRequest>

export const CountTokensResponse = Type.Object(
  { input_tokens: Type.Integer({ minimum: 0, description: 'The number of tokens that the model would read.' }) },
  { title: 'CountTokensResponse', description: 'The size of the request.' },
)
export type CountTokensResponse = Static<typeof CountTokensResponse>
