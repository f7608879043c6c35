import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, nullable, open, openObject, optional, words } from '../../base/schema/fields.ts'
import { ChatRequest, GATEWAY_FIELDS } from '../chat.ts'
import { RerankDocument } from './rerank.ts'

const chat = ChatRequest.properties

const Block = openObject('CohereBlock', 'type', 'A text, an image, a document or reasoning.')

const Message = Type.Object(
  {
    role: words(['system', 'user', 'assistant', 'tool', 'developer'], { description: 'The author of the message.' }),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(Block), Type.Null()], {
        description: 'A text, or a list of blocks.',
      }),
    ),
    tool_calls: optional(Type.Array(freeObject()), 'Calls that the assistant made earlier.'),
    tool_plan: optional(Type.String(), 'The plan that led to the calls.'),
    tool_call_id: optional(Type.String(), 'The id of the call that a tool message answers.'),
  },
  { title: 'CohereMessage', description: "One turn of a conversation, in Cohere's format.", ...open },
)

export const CohereChatRequest = Type.Object(
  {
    model: chat.model,
    messages: Type.Array(Message, { minItems: 1, description: 'The conversation so far.' }),
    stream: chat.stream,
    tools: chat.tools,
    tool_choice: optional(words(['REQUIRED', 'NONE']), 'Whether a tool has to be called, or none may be.'),
    strict_tools: optional(Type.Boolean(), 'Whether calls have to match the schemas of their tools.'),
    documents: optional(Type.Array(RerankDocument), 'Documents to cite; for models of Cohere.'),
    response_format: chat.response_format,
    max_tokens: optional(Type.Integer({ minimum: 1 }), 'The maximum number of tokens to write.'),
    stop_sequences: optional(Type.Array(Type.String()), 'Texts at which to stop.'),
    temperature: chat.temperature,
    p: chat.top_p,
    k: optional(Type.Integer({ minimum: 0 }), 'Choose only among this many of the likeliest tokens; 0 for all.'),
    seed: chat.seed,
    frequency_penalty: chat.frequency_penalty,
    presence_penalty: chat.presence_penalty,
    extra_body: chat.extra_body,
    ...GATEWAY_FIELDS,
  },
  {
    title: 'CohereChatRequest',
    description: "A call of a chat model, in Cohere's format. Fields not listed here are passed to models of Cohere.",
    ...open,
  },
)
export type CohereChatRequest = Static<typeof CohereChatRequest>

export const CohereChatReply = Type.Object(
  {
    id: Type.String({ description: 'Identifies this answer.' }),
    finish_reason: Type.String({ description: '`COMPLETE`, `MAX_TOKENS`, `TOOL_CALL` or `ERROR_TOXIC`.' }),
    message: Type.Object(
      {
        role: Type.Literal('assistant'),
        content: Type.Optional(Type.Array(freeObject(), { description: 'Texts and reasoning.' })),
        tool_plan: Type.Optional(Type.String({ description: 'The plan that leads to the calls.' })),
        tool_calls: Type.Optional(Type.Array(freeObject(), { description: 'The tools to call.' })),
        citations: Type.Optional(
          Type.Array(freeObject(), { description: 'Passages of the answer, and the sources of each.' }),
        ),
      },
      { description: 'The answer.', ...open },
    ),
    logprobs: Type.Optional(Type.Array(freeObject(), { description: 'Probabilities of the tokens, if requested.' })),
    usage: freeObject({ description: 'Tokens, as `billed_units` and as `tokens`, and `cached_tokens` if known.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'CohereChatReply', description: "The answer of a chat model, in Cohere's format.", ...open },
)
export type CohereChatReply = Static<typeof CohereChatReply>

export const CohereChatEvent = Type.Object(
  {
    type: Type.String({
      description:
        '`message-start`, `content-start`, `content-delta`, `content-end`, `tool-plan-delta`, `tool-call-start`, ' +
        '`tool-call-delta`, `tool-call-end`, `citation-start`, `citation-end`, `message-end` or `error`.',
    }),
    id: Type.Optional(Type.String({ description: 'The id of the answer; in `message-start`.' })),
    index: Type.Optional(Type.Integer({ minimum: 0, description: 'The index of the block or of the call.' })),
    delta: Type.Optional(freeObject({ description: 'What is added to the answer.' })),
  },
  { title: 'CohereChatEvent', description: 'One event of a streamed answer.', ...open },
)
