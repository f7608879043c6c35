import { RESPONSE_ID } from '../base/schema/patterns.ts'
import Type, { type Static } from '../base/schema/type.ts'
import { ChatRequest, GATEWAY_FIELDS, ToolChoiceObject } from './chat.ts'
import { freeObject, nullable, open, openObject, optional, words } from '../base/schema/fields.ts'

// The responses format, as far as this gateway reads it.

export const ResponseItem = openObject('ResponseItem', 'type', 'A message, a function call, its output, reasoning, …')

const conversationRef = Type.Object(
  { id: Type.String({ description: 'The id of the conversation.' }) },
  { title: 'ResponseConversation', description: 'A conversation, by its id.', ...open },
)

export const ResponsesRequest = Type.Object(
  {
    model: ChatRequest.properties.model,
    input: optional(Type.Union([Type.String(), Type.Array(ResponseItem)]), 'The input: text, or a list of items.'),
    instructions: optional(Type.String(), 'The system prompt.'),
    previous_response_id: optional(Type.String(), 'The id of your own response to continue, as long as it is stored.'),
    stream: optional(Type.Boolean(), 'Send the answer as server-sent events.', { default: false }),
    store: optional(Type.Boolean(), 'Store the response, to continue or retrieve it later.', { default: true }),
    tools: optional(Type.Array(freeObject()), 'Tools the model may call.'),
    tool_choice: optional(
      Type.Union([words(['auto', 'required', 'none']), ToolChoiceObject]),
      '`auto`, `required`, `none`, or an object that names the tool to call.',
    ),
    parallel_tool_calls: optional(Type.Boolean(), 'Whether one answer may contain several calls.'),
    max_output_tokens: optional(
      Type.Integer({ minimum: 1 }),
      'The maximum number of tokens to write, reasoning included.',
    ),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 }), 'Higher is more varied.'),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Choose only among the likeliest tokens.'),
    top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 }), 'How many likely tokens to list.'),
    reasoning: optional(freeObject(), '`effort`, and whether to return a `summary`.'),
    text: optional(freeObject(), '`format`: text, a JSON object, or a JSON schema; `verbosity`.'),
    include: optional(Type.Array(Type.String()), 'Further data to return.'),
    truncation: optional(
      words(['auto', 'disabled']),
      'Whether a long conversation may be shortened; the provider decides.',
    ),
    background: optional(
      Type.Boolean(),
      'Make the response in the background, and return at once. Get it later with GET; it must be stored.',
    ),
    conversation: optional(
      Type.Union([Type.String(), conversationRef]),
      'The conversation to continue, by its id. The input and the output are added to it. Not together with `previous_response_id`.',
    ),
    prompt: optional(freeObject(), 'Not supported: stored prompts are refused. Send their text as `instructions`.'),
    metadata: optional(freeObject(), 'Your own metadata; it comes back with the response.'),
    user: optional(Type.String(), 'Your own identifier of the end user.'),
    service_tier: ChatRequest.properties.service_tier,
    ...GATEWAY_FIELDS,
  },
  { title: 'ResponsesRequest', description: 'A call of a chat model in the responses format.', ...open },
)
export type ResponsesRequest = Static<typeof ResponsesRequest>

const usage = Type.Object(
  {
    input_tokens: Type.Integer({ minimum: 0, description: 'Tokens read.' }),
    output_tokens: Type.Integer({ minimum: 0, description: 'Tokens written, reasoning included.' }),
    total_tokens: Type.Integer({ minimum: 0, description: 'The total of both.' }),
    input_tokens_details: Type.Optional(
      freeObject({ description: 'The part of the tokens read that came from a cache.' }),
    ),
    output_tokens_details: Type.Optional(
      freeObject({ description: 'The part of the tokens written that was reasoning.' }),
    ),
  },
  { description: 'Tokens used.', ...open },
)

export const ResponseObject = Type.Object(
  {
    id: Type.String({ pattern: RESPONSE_ID, description: 'Identifies this response.' }),
    object: Type.Literal('response'),
    created_at: Type.Integer({ description: 'The time, in seconds since 1970.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    status: words(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'], {
      description: 'The state of the response. Only a response in the background is queued, or cancelled.',
    }),
    output: Type.Array(ResponseItem, { description: 'The output items: messages, calls, reasoning.' }),
    error: nullable(freeObject(), 'Why it failed.'),
    incomplete_details: nullable(freeObject(), 'Why the response is incomplete.'),
    usage: optional(usage, 'Tokens used.'),
    conversation: optional(conversationRef, 'The conversation that the response was added to.'),
    cost: optional(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.Optional(Type.String({ description: 'The provider that answered.' })),
  },
  { title: 'ResponseObject', description: 'The answer of a chat model in the responses format.', ...open },
)
export type ResponseObject = Static<typeof ResponseObject>

export const DeletedResponse = Type.Object(
  {
    id: Type.String({ pattern: RESPONSE_ID, description: 'The id of the deleted response.' }),
    object: Type.Literal('response.deleted'),
    deleted: Type.Boolean({ description: 'Always true: an unknown response gets a 404.' }),
  },
  { title: 'DeletedResponse', description: 'The confirmation of a deletion.' },
)
export type DeletedResponse = Static<typeof DeletedResponse>
