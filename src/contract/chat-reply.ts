import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, nullable, open, optional, words } from '../base/schema/fields.ts'
import { ProviderContent } from './provider-content.ts'

const count = Type.Integer({ minimum: 0 })

const PromptTokens = Type.Object(
  {
    cached_tokens: optional(count, 'Read from a cache.'),
    cache_write_tokens: optional(count, 'Written to a cache.'),
    cache_write_1h_tokens: optional(count, 'The part that is kept for an hour.'),
    audio_tokens: optional(count, 'Tokens of audio.'),
    image_tokens: optional(count, 'Images.'),
    text_tokens: optional(count, 'Text.'),
  },
  open,
)

const CompletionTokens = Type.Object(
  {
    reasoning_tokens: optional(count, 'Spent on reasoning.'),
    audio_tokens: optional(count, 'Tokens of audio.'),
    image_tokens: optional(count, 'Images.'),
    text_tokens: optional(count, 'Text.'),
    accepted_prediction_tokens: optional(count, 'Predicted correctly.'),
    rejected_prediction_tokens: optional(count, 'Predicted, but not used.'),
  },
  open,
)

const Iteration = Type.Object(
  {
    type: Type.String({ description: '`message`, `compaction`, `advisor_message`, `fallback_message`, …' }),
    model: optional(Type.String(), 'The model of this run, if it is named.'),
    prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens read in this run.' }),
    completion_tokens: Type.Integer({ minimum: 0, description: 'Tokens written in this run.' }),
    prompt_tokens_details: optional(PromptTokens, 'A breakdown of the tokens read.'),
    completion_tokens_details: optional(CompletionTokens, 'A breakdown of the tokens written.'),
  },
  open,
)

export const Usage = Type.Object(
  {
    prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens read.' }),
    completion_tokens: Type.Integer({ minimum: 0, description: 'Tokens written, reasoning included.' }),
    total_tokens: Type.Integer({ minimum: 0, description: 'The total of both.' }),
    prompt_tokens_details: optional(PromptTokens, 'A breakdown of the tokens read.'),
    completion_tokens_details: optional(CompletionTokens, 'A breakdown of the tokens written.'),
    iterations: optional(
      Type.Array(Iteration),
      'The runs behind an answer of Anthropic, each billed at the price of its model. Runs of `compaction` and `advisor_message` come on top of the totals.',
    ),
  },
  { title: 'Usage', description: 'Tokens that a call used.', ...open },
)
export type Usage = Static<typeof Usage>

const FunctionCall = Type.Object(
  {
    name: Type.String({ description: 'The name of the function.' }),
    arguments: Type.String({ description: 'The arguments, as JSON text.' }),
  },
  { description: 'The function to call and its arguments.', ...open },
)

export const ToolCall = Type.Object(
  {
    id: Type.String({ description: 'Send it back as `tool_call_id` with the result.' }),
    type: Type.String({ description: '`function`, mostly.' }),
    function: Type.Optional(FunctionCall),
    custom: Type.Optional(freeObject({ description: 'The call of a tool that is not a function.' })),
  },
  { title: 'ToolCall', description: 'A tool call that the model asks for.', ...open },
)
export type ToolCall = Static<typeof ToolCall>

export const FinishReason = words(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'], {
  title: 'FinishReason',
  description: 'Why the model stopped.',
})
export type FinishReason = Static<typeof FinishReason>

export const ReplyMessage = Type.Object(
  {
    role: Type.Literal('assistant'),
    content: nullable(Type.String(), 'The answer.'),
    tool_calls: optional(Type.Array(ToolCall), 'The tools to call. Absent or null if there are none.'),
    refusal: optional(Type.String(), 'The explanation of a model that refuses to answer.'),
    reasoning_content: optional(Type.String(), 'The reasoning, if the provider shows it.'),
    annotations: optional(Type.Array(freeObject()), 'Sources that the answer cites.'),
    provider_content: optional(ProviderContent, 'What the provider did by itself, to be sent back unchanged.'),
    audio: optional(freeObject(), 'The answer as audio.'),
    function_call: optional(FunctionCall, 'A call in the legacy form.'),
  },
  { title: 'ReplyMessage', description: 'The message of the model.', ...open },
)
export type ReplyMessage = Static<typeof ReplyMessage>

export const Choice = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'The index of this answer.' }),
    message: ReplyMessage,
    finish_reason: nullable(FinishReason, 'Why the model stopped.'),
    logprobs: optional(freeObject(), 'Probabilities of the tokens, if requested.'),
  },
  { title: 'Choice', description: 'One of the answers.', ...open },
)
export type Choice = Static<typeof Choice>

const completion = {
  id: Type.String({ description: 'Identifies this completion.' }),
  created: Type.Integer({ description: 'The time, in seconds since 1970.' }),
  model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
  system_fingerprint: optional(Type.String(), "The provider's configuration."),
  service_tier: optional(Type.String(), 'The tier that served the call.'),
  // Optional because a dialect decodes a reply before its price is known. Every answer that leaves the gateway has these
  // fields.
  cost: optional(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
  provider: Type.Optional(Type.String({ description: 'The provider that answered.' })),
  gatehouse: Type.Optional(
    freeObject({ description: 'Attempts, notes, hooks and timings; with the header `x-gatehouse-metadata: enabled`.' }),
  ),
  edenai_metadata: Type.Optional(
    freeObject({
      description: 'The same in the words of the hosted original; with the header `x-edenai-metadata: enabled`.',
    }),
  ),
}

export const ChatCompletion = Type.Object(
  {
    ...completion,
    object: Type.Literal('chat.completion'),
    choices: Type.Array(Choice, { description: 'The answers.' }),
    usage: optional(Usage, 'Tokens used.'),
  },
  { title: 'ChatCompletion', description: 'The answer of a chat model.', ...open },
)
export type ChatCompletion = Static<typeof ChatCompletion>

const FunctionCallFragment = Type.Object(
  {
    name: optional(Type.String(), 'The name of the function; in the first fragment only.'),
    arguments: optional(Type.String(), 'The next piece of the JSON text.'),
  },
  open,
)

export const ToolCallFragment = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'The index of the call that this fragment belongs to.' }),
    id: optional(Type.String(), 'In the first fragment only.'),
    type: optional(Type.String(), 'In the first fragment only.'),
    function: optional(FunctionCallFragment, 'The piece.'),
    custom: optional(freeObject(), 'A fragment of the call of a tool that is not a function.'),
  },
  { title: 'ToolCallFragment', description: 'A fragment of a tool call.', ...open },
)
export type ToolCallFragment = Static<typeof ToolCallFragment>

export const Delta = Type.Object(
  {
    role: Type.Optional(Type.Literal('assistant', { description: 'In the first chunk only.' })),
    content: optional(Type.String(), 'The next piece of the answer.'),
    reasoning_content: optional(Type.String(), 'The next piece of the reasoning.'),
    refusal: optional(Type.String(), 'The next piece of a refusal.'),
    tool_calls: optional(Type.Array(ToolCallFragment), 'Fragments of tool calls.'),
    annotations: optional(Type.Array(freeObject()), 'Sources that the answer cites.'),
    provider_content: optional(ProviderContent, 'What the provider did by itself; whole, once, before the end.'),
    audio: optional(freeObject(), 'The next piece of the audio answer.'),
    function_call: optional(FunctionCallFragment, 'A fragment of a call in the legacy form.'),
  },
  { title: 'Delta', description: 'What a chunk adds to its answer. Empty in the chunk that ends the answer.', ...open },
)
export type Delta = Static<typeof Delta>

export const ChunkChoice = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'The index of the answer that this belongs to.' }),
    delta: Delta,
    finish_reason: nullable(FinishReason, 'Not null in exactly one chunk per answer.'),
    logprobs: optional(freeObject(), 'Probabilities of the tokens, if requested.'),
  },
  { title: 'ChunkChoice', description: 'A piece of one of the answers.', ...open },
)
export type ChunkChoice = Static<typeof ChunkChoice>

export const ChatChunk = Type.Object(
  {
    ...completion,
    object: Type.Literal('chat.completion.chunk'),
    choices: Type.Array(ChunkChoice, { description: 'Empty in the chunk that carries the usage.' }),
    usage: optional(Usage, 'In the last chunk, if `stream_options.include_usage` is true.'),
  },
  { title: 'ChatChunk', description: 'One event of a streamed answer; `data: [DONE]` follows the last one.', ...open },
)
export type ChatChunk = Static<typeof ChatChunk>
