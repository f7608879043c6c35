import Type, { type Static } from '../base/schema/type.ts'
import { ChatRequest, GATEWAY_FIELDS } from './chat.ts'
import { freeObject, nullable, open, optional, words } from '../base/schema/fields.ts'

// The messages format, as far as this gateway reads it. Fields that are not named here are passed to providers with the
// same format.

const count = Type.Integer({ minimum: 0 })

const MessageBlock = Type.Object(
  { type: Type.String({ description: 'text, image, document, tool_use, tool_result, thinking, …' }) },
  {
    title: 'MessageBlock',
    description: 'One block of a message. Its `type` says which kind.',
    ...open,
  },
)

const content = Type.Union([Type.String(), Type.Array(MessageBlock)], { description: 'Text, or a list of blocks.' })

export const MessageTurn = Type.Object(
  { role: words(['user', 'assistant', 'system'], { description: 'The author of the message.' }), content },
  { title: 'MessageTurn', description: 'One turn of a conversation.', ...open },
)
export type MessageTurn = Static<typeof MessageTurn>

const fallback = Type.Object(
  { model: Type.String({ description: 'The model.' }) },
  {
    title: 'MessageFallback',
    description: 'A model to try, as clients of Anthropic name it. Its other fields are dropped.',
    ...open,
  },
)

const fallbacks = optional(
  Type.Union([Type.Array(Type.Union([Type.String(), fallback]), { maxItems: 3 }), Type.Literal('default')]),
  "Models to try, in this order, if one fails. Anthropic's `default` is dropped.",
)

export const MessagesRequest = Type.Object(
  {
    model: ChatRequest.properties.model,
    messages: Type.Array(MessageTurn, { description: 'The conversation so far.' }),
    max_tokens: optional(count, 'The maximum number of tokens to write.', { default: 1024 }),
    system: optional(Type.Union([Type.String(), Type.Array(MessageBlock)]), 'Instructions.'),
    stream: optional(Type.Boolean(), 'Send the answer as server-sent events.', { default: false }),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 }), 'Higher is more varied.'),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Choose only among the likeliest tokens.'),
    top_k: optional(count, 'Choose only among this many tokens, if the model supports it.'),
    stop_sequences: optional(Type.Array(Type.String()), 'Texts at which to stop.'),
    tools: optional(Type.Array(freeObject()), 'Tools the model may call: `{name, description, input_schema}`.'),
    tool_choice: optional(freeObject(), 'How the model may choose: `{type: auto | any | tool | none}`.'),
    thinking: optional(freeObject(), 'Whether the model reasons, and how much.'),
    output_config: optional(freeObject(), 'The effort, and the format of the answer.'),
    metadata: optional(freeObject(), 'For example `user_id`.'),
    service_tier: optional(Type.String(), '`auto` or `standard_only`.'),
    ...GATEWAY_FIELDS,
    fallbacks,
  },
  {
    title: 'MessagesRequest',
    description: 'A call of a chat model in the messages format.',
    ...open,
  },
)
export type MessagesRequest = Static<typeof MessagesRequest>

const MessageUsage = Type.Object(
  {
    input_tokens: Type.Integer({ minimum: 0, description: 'Tokens read, without those read from a cache.' }),
    output_tokens: Type.Integer({ minimum: 0, description: 'Tokens written, reasoning included.' }),
    cache_creation_input_tokens: optional(count, 'Written to a cache.'),
    cache_read_input_tokens: optional(count, 'Read from a cache.'),
  },
  { description: 'Tokens used.', ...open },
)

export const MessagesReply = Type.Object(
  {
    id: Type.String({ description: 'Identifies this message.' }),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    content: Type.Array(MessageBlock, { description: 'The content blocks: text, thinking, tool_use.' }),
    stop_reason: nullable(Type.String(), 'end_turn, max_tokens, stop_sequence, tool_use or refusal.'),
    stop_sequence: nullable(Type.String(), 'The text at which the model stopped, if the provider reports it.'),
    usage: MessageUsage,
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.Optional(Type.String({ description: 'The provider that answered.' })),
  },
  { title: 'MessagesReply', description: 'The answer of a chat model in the messages format.', ...open },
)
export type MessagesReply = Static<typeof MessagesReply>

const error = Type.Object(
  {
    type: Type.String({ description: 'The group that the error belongs to.' }),
    message: Type.String({ description: 'A message for people.' }),
  },
  { description: 'The error.', ...open },
)

export const MessagesError = Type.Object(
  {
    type: Type.Literal('error'),
    error,
    request_id: Type.Optional(Type.String({ description: 'The id to quote in questions to the operator.' })),
  },
  { title: 'MessagesError', description: 'The body of an error in the messages format.', ...open },
)
export type MessagesError = Static<typeof MessagesError>
