import Type, { type Static } from '../schema/type.ts'
import { ChatRequest } from './chat.ts'
import { freeObject, nullable, optional, words } from '../schema/fields.ts'

// The responses format, as far as this gateway reads it.

const open = { additionalProperties: true }
const { fallbacks, router_candidates, routing, pre_hooks, post_hooks, extra_headers } = ChatRequest.properties

const item = freeObject({ title: 'ResponseItem', description: 'A message, a function call, its output, a thought, …' })

export const ResponsesRequest = Type.Object(
  {
    model: ChatRequest.properties.model,
    input: Type.Optional(
      Type.Union([Type.String(), Type.Array(item), Type.Null()], {
        description: 'What is asked: text, or a list of items.',
      }),
    ),
    instructions: optional(Type.String(), 'What the model is told first.'),
    previous_response_id: optional(Type.String(), 'A response of yours to go on from, as long as it is kept.'),
    stream: optional(Type.Boolean(), 'Send the answer as server-sent events.', { default: false }),
    store: optional(Type.Boolean(), 'Keep the response, to go on from it or to get it again.', { default: true }),
    tools: optional(Type.Array(freeObject()), 'Tools the model may call.'),
    tool_choice: Type.Optional(
      Type.Union([words(['auto', 'required', 'none']), freeObject(), Type.Null()], {
        description: '`auto`, `required`, `none`, or an object that names the tool to call.',
      }),
    ),
    parallel_tool_calls: optional(Type.Boolean(), 'Whether one answer may hold several calls.'),
    max_output_tokens: optional(Type.Integer({ minimum: 1 }), 'Most tokens to write, reasoning included.'),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 }), 'Higher is more varied.'),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Choose only among the likeliest tokens.'),
    top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 }), 'How many likely tokens to list.'),
    reasoning: optional(freeObject(), '`effort`, and whether to give a `summary`.'),
    text: optional(freeObject(), '`format`: text, a JSON object, or a JSON schema; `verbosity`.'),
    include: optional(Type.Array(Type.String()), 'Further things to tell.'),
    truncation: optional(words(['auto', 'disabled']), 'Whether a long conversation may be cut; the provider decides.'),
    background: optional(Type.Boolean(), 'Not here: use POST /v3/universal-ai/async for what takes long.'),
    metadata: optional(freeObject(), 'Your own notes; they come back with the response.'),
    user: optional(Type.String(), 'Who is asking, in your own system.'),
    service_tier: ChatRequest.properties.service_tier,
    fallbacks,
    router_candidates,
    routing,
    pre_hooks,
    post_hooks,
    extra_headers,
  },
  { title: 'ResponsesRequest', description: 'A call of a chat model in the responses format.', ...open },
)
export type ResponsesRequest = Static<typeof ResponsesRequest>

const usage = Type.Object(
  {
    input_tokens: Type.Integer({ minimum: 0, description: 'Tokens read.' }),
    output_tokens: Type.Integer({ minimum: 0, description: 'Tokens written, thoughts included.' }),
    total_tokens: Type.Integer({ minimum: 0, description: 'Both together.' }),
    input_tokens_details: Type.Optional(freeObject({ description: 'Of those read: how many came from a cache.' })),
    output_tokens_details: Type.Optional(freeObject({ description: 'Of those written: how many were thoughts.' })),
  },
  { description: 'Tokens used.', ...open },
)

export const ResponseObject = Type.Object(
  {
    id: Type.String({ description: 'Identifies this response.' }),
    object: Type.Literal('response'),
    created_at: Type.Integer({ description: 'When, in seconds since 1970.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    status: words(['completed', 'in_progress', 'incomplete', 'failed'], { description: 'How far it is.' }),
    output: Type.Array(item, { description: 'What the model made: messages, calls, thoughts.' }),
    error: nullable(freeObject(), 'Why it failed.'),
    incomplete_details: nullable(freeObject(), 'Why it is not complete.'),
    usage: optional(usage, 'Tokens used.'),
    cost: optional(Type.Number(), 'What the call cost, in USD. Null when the price is not known.'),
    provider: Type.Optional(Type.String({ description: 'The provider that answered.' })),
  },
  { title: 'ResponseObject', description: 'The answer of a chat model in the responses format.', ...open },
)
export type ResponseObject = Static<typeof ResponseObject>

export const DeletedResponse = Type.Object(
  {
    id: Type.String({ description: 'Of the response that was deleted.' }),
    object: Type.Literal('response.deleted'),
    deleted: Type.Boolean({ description: 'Always true: what was not there answers 404.' }),
  },
  { title: 'DeletedResponse', description: 'It is gone.' },
)
export type DeletedResponse = Static<typeof DeletedResponse>
