import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, nullable } from '../../base/schema/fields.ts'
import { ResponseItem, ResponsesRequest } from '../responses.ts'

const { model, input, instructions, previous_response_id, fallbacks, service_tier } = ResponsesRequest.properties

export const CompactRequest = Type.Object(
  { model, input, instructions, previous_response_id, service_tier, fallbacks },
  {
    title: 'CompactRequest',
    description: 'A conversation that the provider is to shorten.',
    additionalProperties: true,
  },
)
export type CompactRequest = Static<typeof CompactRequest>

export const CompactedResponse = Type.Object(
  {
    id: Type.String({ description: 'Identifies the compaction. It is not stored.' }),
    object: Type.Literal('response.compaction'),
    created_at: Type.Integer({ description: 'The time, in seconds since 1970.' }),
    output: Type.Array(ResponseItem, {
      description: 'The shorter conversation: send it as the input of the next request.',
    }),
    usage: nullable(freeObject(), 'Tokens used.'),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'CompactedResponse', description: 'A shorter conversation.', additionalProperties: true },
)
export type CompactedResponse = Static<typeof CompactedResponse>
