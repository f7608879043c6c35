import Type, { type Static } from '../../base/schema/type.ts'
import { ResponsesRequest } from '../responses.ts'

const { model, input, instructions, previous_response_id, conversation } = ResponsesRequest.properties
const { tools, tool_choice, parallel_tool_calls, reasoning, text, truncation } = ResponsesRequest.properties

export const InputTokensRequest = Type.Object(
  {
    model,
    input,
    instructions,
    previous_response_id,
    conversation,
    tools,
    tool_choice,
    parallel_tool_calls,
    reasoning,
    text,
    truncation,
  },
  {
    title: 'InputTokensRequest',
    description: 'A request in the responses format, which is counted and not run.',
    additionalProperties: true,
  },
)
export type InputTokensRequest = Static<typeof InputTokensRequest>

export const InputTokens = Type.Object(
  {
    object: Type.Literal('response.input_tokens'),
    input_tokens: Type.Integer({ minimum: 0, description: 'The number of tokens that the model would read.' }),
  },
  { title: 'InputTokens', description: 'The size of the request.' },
)
export type InputTokens = Static<typeof InputTokens>
