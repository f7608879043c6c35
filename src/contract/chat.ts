import Type, { type Static } from '../base/schema/type.ts'
import { exactlyOneOf, freeObject, mapOf, openObject, optional, unchecked, words } from '../base/schema/fields.ts'
import { Routing } from './routing.ts'

export const CacheControl = Type.Object(
  {
    type: Type.Literal('ephemeral', { description: 'The only cache type.' }),
    ttl: optional(Type.String(), "How long the provider should keep the block, in the provider's notation."),
  },
  { title: 'CacheControl', description: 'Marks the end of a block that the provider should cache, if it can.' },
)
export type CacheControl = Static<typeof CacheControl>

const cache_control = optional(CacheControl, 'Ask the provider to cache up to and including this part.')

const TextPart = Type.Object(
  { type: Type.Literal('text'), text: Type.String({ description: 'The text.' }), cache_control },
  { title: 'TextPart', description: 'Text.' },
)

const ImageAddress = Type.Object(
  {
    url: Type.String({ description: 'An https:// URL or a data: URL.' }),
    detail: Type.Optional(Type.Unknown({ description: 'The level of detail; depends on the provider.' })),
  },
  { description: 'The location of the image.' },
)

export const ImagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Union([ImageAddress, Type.String({ description: 'The URL alone, as older clients send it.' })], {
      description: 'The location of the image, or the image itself.',
    }),
    cache_control,
  },
  { title: 'ImagePart', description: 'An image.' },
)
export type ImagePart = Static<typeof ImagePart>

const FileContent = Type.Object(
  {
    file_id: Type.Optional(Type.String({ description: 'The id of an uploaded file, or an HTTP(S) URL.' })),
    file_data: Type.Optional(Type.String({ description: 'The file in base64, bare or as a data: URL.' })),
    filename: Type.Optional(Type.Unknown({ description: 'The name of the file, for providers that need one.' })),
  },
  { description: 'Exactly one of `file_id` and `file_data`.', ...exactlyOneOf('file_id', 'file_data') },
)

export const FilePart = Type.Object(
  { type: Type.Literal('file'), file: FileContent, cache_control },
  { title: 'FilePart', description: 'A document.' },
)
export type FilePart = Static<typeof FilePart>

const AudioContent = Type.Object(
  {
    data: Type.String({ description: 'The audio in base64.' }),
    format: optional(Type.String(), 'The audio format, such as wav or mp3.'),
  },
  { description: 'The audio data.' },
)

const InputAudioPart = Type.Object(
  { type: Type.Literal('input_audio'), input_audio: AudioContent, cache_control },
  { title: 'InputAudioPart', description: 'Audio input.' },
)

const RefusalPart = Type.Object(
  {
    type: Type.Literal('refusal'),
    refusal: Type.String({ description: 'The explanation of a model that refused to answer.' }),
    cache_control,
  },
  { title: 'RefusalPart', description: 'An earlier refusal of the model, sent back as history.' },
)

export const ContentPart = Type.Union([TextPart, ImagePart, FilePart, InputAudioPart, RefusalPart], {
  title: 'ContentPart',
  description: 'One part of a message. Its `type` says which kind.',
})
export type ContentPart = Static<typeof ContentPart>

const content = Type.Union([Type.String(), Type.Array(ContentPart), Type.Null()], {
  description: 'The content: text, a list of parts, or null (an assistant message that only calls tools).',
})

const TEXT = { type: 'string' }
const MAP = { type: 'object', additionalProperties: true }

export const Message = Type.Object(
  {
    role: words(['user', 'assistant', 'system', 'tool', 'developer', 'function'], {
      description: 'The author of the message. Old clients write `function` for `tool`.',
    }),
    content: Type.Optional(content),
    // The contract names these fields without checking them: the provider judges all further members of a message.
    name: unchecked(TEXT, 'The name of the author.'),
    tool_calls: unchecked({ type: 'array', items: MAP }, 'Calls the assistant made earlier.'),
    tool_call_id: unchecked(TEXT, 'The id of the call that a tool message answers.'),
    function_call: unchecked(MAP, 'A call in the legacy form.'),
    reasoning_content: unchecked(TEXT, "The assistant's earlier reasoning."),
    provider_content: unchecked(MAP, 'What the provider did by itself in an earlier answer, as it was returned.'),
  },
  { title: 'Message', description: 'One turn of a conversation.', additionalProperties: true },
)
export type Message = Static<typeof Message>

export const ImageConfig = Type.Object(
  {
    aspect_ratio: optional(Type.String(), 'The aspect ratio of the image as `W:H`, such as 16:9.'),
    image_size: optional(Type.String(), 'Resolution, such as 1K, 2K or 4K.'),
  },
  { title: 'ImageConfig', description: 'Settings of chat models that generate images.', additionalProperties: false },
)
export type ImageConfig = Static<typeof ImageConfig>

// The actions and their parameters are checked in hooks/, together, so that all issues are reported at once.
export const PreHook = hook('PreHook', 'A step that runs before the call to the provider.')
export const PostHook = hook('PostHook', 'A step that runs after the call to the provider.')
export type Hook = Static<typeof PreHook>

function hook(title: string, description: string) {
  const action = Type.String({ description: 'The name of the action.' })
  return Type.Object(
    { action, params: optional(freeObject(), 'The parameters of the action.') },
    { title, description },
  )
}

const list = Type.Array(Type.String())
export const ToolChoiceObject = openObject('ToolChoiceObject', 'type', 'Names the tool to call.')
const FunctionCallObject = openObject('FunctionCallObject', 'name', 'Names the function to call.')
const penalty = Type.Number({ minimum: -2, maximum: 2 })
const tokens = Type.Integer({ minimum: 1 })
const toolChoice = optional(
  Type.Union([words(['auto', 'required', 'none', 'any']), ToolChoiceObject]),
  '`auto`, `required`, `none`, or an object that names the tool to call. `any` is another word for `required`.',
)
const stop = optional(Type.Union([list, Type.String()]), 'Texts at which to stop. A single text need not be in a list.')
const functionCall = optional(Type.Union([FunctionCallObject, Type.String()]), 'The legacy form of `tool_choice`.')

export const ChatRequest = Type.Object(
  {
    model: Type.String({ description: 'The model, as `provider/model`, or the router.', examples: ['sandbox/echo'] }),
    messages: Type.Array(Message, { minItems: 1, description: 'The conversation so far.' }),
    fallbacks: optional(Type.Array(Type.String(), { maxItems: 3 }), 'Models to try, in this order, if one fails.'),
    router_candidates: optional(list, 'The models that the router may choose from. All models if absent.'),
    routing: optional(Routing, 'How the router chooses, and how often a model is asked again.'),
    pre_hooks: optional(Type.Array(PreHook), 'Steps before the call.'),
    post_hooks: optional(Type.Array(PostHook), 'Steps after the call.'),
    n: optional(Type.Integer({ minimum: 1, maximum: 128 }), 'How many answers to generate.', { default: 1 }),
    reasoning_effort: optional(
      words(['minimal', 'low', 'medium', 'high', 'max', 'xhigh', 'disable', 'none']),
      'How hard to think before answering.',
    ),
    metadata: optional(freeObject(), 'Your own metadata of this call.'),
    frequency_penalty: optional(penalty, 'Above 0: repeat the same words less.'),
    presence_penalty: optional(penalty, 'Above 0: move on to new subjects.'),
    logit_bias: optional(mapOf(Type.Number()), 'Token ids that should be likelier or less likely, and by how much.'),
    logprobs: optional(Type.Boolean(), 'Return the probability of each token.', { default: false }),
    top_logprobs: optional(Type.Integer({ minimum: 1, maximum: 20 }), 'How many likely tokens to list per position.'),
    max_tokens: optional(tokens, 'The maximum number of tokens to write. The older name of `max_completion_tokens`.'),
    max_completion_tokens: optional(tokens, 'The maximum number of tokens to write, reasoning included.'),
    modalities: optional(list, 'The requested kinds of output, such as text or audio.'),
    prediction: optional(freeObject(), 'A text that much of the answer will probably match.'),
    audio: optional(freeObject(), 'The voice and format of audio answers.'),
    response_format: optional(freeObject(), 'The format of the answer: text, a JSON object, or a JSON schema.'),
    seed: optional(Type.Integer(), 'The same seed gives the same answer, as far as the provider can.'),
    service_tier: optional(
      words(['auto', 'default', 'flex', 'scale', 'priority']),
      'Trades speed for price. `flex` is slower and cheaper; `scale` and `priority` are passed on because many clients send them.',
    ),
    stop,
    stream: optional(Type.Boolean(), 'Send the answer as server-sent events while it is written.', { default: false }),
    stream_options: optional(freeObject(), 'For example `include_usage`.'),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 }), 'Higher is more varied.'),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Choose only among the likeliest tokens.', { default: 1 }),
    tools: optional(Type.Array(freeObject()), 'Tools the model may call.'),
    tool_choice: toolChoice,
    parallel_tool_calls: optional(Type.Boolean(), 'Whether one answer may contain several calls.'),
    user: optional(Type.String(), 'Your own identifier of the end user.'),
    function_call: functionCall,
    functions: optional(Type.Array(freeObject()), 'The legacy form of `tools`.'),
    thinking: optional(freeObject(), 'Reasoning settings, in the form that some providers use.'),
    web_search_options: optional(freeObject(), 'For example a `search_context_size` of low, medium or high.'),
    verbosity: optional(words(['low', 'medium', 'high']), 'How long an answer should be.'),
    extra_body: optional(freeObject(), 'Further fields for the body that goes to the provider.'),
    image_config: optional(ImageConfig, 'Settings of chat models that generate images.'),
    extra_headers: optional(
      mapOf(Type.String()),
      'Further headers for the provider. Headers with credentials are not allowed.',
    ),
    cache_marks: optional(
      Type.Boolean(),
      "Whether the gateway marks the last turn of a conversation for the cache of Claude's models, if nothing is marked. `false` marks nothing.",
      { default: true },
    ),
    session_id: optional(
      Type.String({ maxLength: 256 }),
      'The session of an agent, or the conversation, that this call is part of. The header `x-session-id` says the same. No provider gets it.',
    ),
  },
  {
    title: 'ChatRequest',
    description: 'A call of a chat model. Fields not listed here are passed to the provider.',
    additionalProperties: true,
  },
)
export type ChatRequest = Static<typeof ChatRequest>

const { fallbacks, router_candidates, routing, pre_hooks, post_hooks, extra_headers } = ChatRequest.properties
const { session_id, cache_marks } = ChatRequest.properties

/** What the gateway itself reads, in every format of a chat. */
export const GATEWAY_FIELDS = {
  fallbacks,
  router_candidates,
  routing,
  pre_hooks,
  post_hooks,
  extra_headers,
  session_id,
  cache_marks,
}
