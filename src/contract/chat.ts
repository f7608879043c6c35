import Type, { type Static } from '../schema/type.ts'
import { exactlyOneOf, freeObject, mapOf, optional, words } from '../schema/fields.ts'
import { Routing } from './routing.ts'

export const CacheControl = Type.Object(
  {
    type: Type.Literal('ephemeral', { description: 'The only kind of cache there is.' }),
    ttl: optional(Type.String(), 'How long the provider should keep it, in its own notation.'),
  },
  { title: 'CacheControl', description: 'Marks the end of a block that the provider should cache, where it can.' },
)
export type CacheControl = Static<typeof CacheControl>

const cache_control = optional(CacheControl, 'Ask the provider to cache up to and including this part.')

export const TextPart = Type.Object(
  { type: Type.Literal('text'), text: Type.String({ description: 'The text.' }), cache_control },
  { title: 'TextPart', description: 'Text.' },
)
export type TextPart = Static<typeof TextPart>

const ImageAddress = Type.Object(
  {
    url: Type.String({ description: 'An https:// URL or a data: URL.' }),
    detail: Type.Optional(Type.Unknown({ description: 'How closely to look; provider-dependent.' })),
  },
  { description: 'Where the image is.' },
)

export const ImagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Union([ImageAddress, Type.String({ description: 'The URL alone, as older clients send it.' })], {
      description: 'Where the image is, or the image itself.',
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
    filename: Type.Optional(Type.Unknown({ description: 'Name of the file, for providers that want one.' })),
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
    data: Type.String({ description: 'The sound in base64.' }),
    format: optional(Type.String(), 'Its format, such as wav or mp3.'),
  },
  { description: 'The sound.' },
)

export const InputAudioPart = Type.Object(
  { type: Type.Literal('input_audio'), input_audio: AudioContent, cache_control },
  { title: 'InputAudioPart', description: 'Sound.' },
)
export type InputAudioPart = Static<typeof InputAudioPart>

export const RefusalPart = Type.Object(
  {
    type: Type.Literal('refusal'),
    refusal: Type.String({ description: 'What the model said when it refused.' }),
    cache_control,
  },
  { title: 'RefusalPart', description: 'An earlier refusal of the model, sent back as history.' },
)
export type RefusalPart = Static<typeof RefusalPart>

export const ContentPart = Type.Union([TextPart, ImagePart, FilePart, InputAudioPart, RefusalPart], {
  title: 'ContentPart',
  description: 'One piece of a message, told apart by its `type`.',
})
export type ContentPart = Static<typeof ContentPart>

const content = Type.Union([Type.String(), Type.Array(ContentPart), Type.Null()], {
  description: 'What is said: text, a list of parts, or nothing (an assistant that only calls tools).',
})

export const Message = Type.Object(
  {
    role: words(['user', 'assistant', 'system', 'tool', 'developer', 'function'], {
      description: 'Who speaks. `function` is the name that old clients use for `tool`.',
    }),
    content: Type.Optional(content),
    // The contract names these without checking them: any further property of a message is the provider's to judge.
    name: Type.Optional(Type.Unknown({ description: 'Name of the speaker.' })),
    tool_calls: Type.Optional(Type.Unknown({ description: 'Calls the assistant made earlier.' })),
    tool_call_id: Type.Optional(Type.Unknown({ description: 'Which call a tool message answers.' })),
    function_call: Type.Optional(Type.Unknown({ description: 'A call in the legacy form.' })),
    reasoning_content: Type.Optional(Type.Unknown({ description: "The assistant's earlier reasoning." })),
  },
  { title: 'Message', description: 'One turn of a conversation.', additionalProperties: true },
)
export type Message = Static<typeof Message>

export const ImageConfig = Type.Object(
  {
    aspect_ratio: optional(Type.String(), 'Shape of the image as `W:H`, such as 16:9.'),
    image_size: optional(Type.String(), 'Resolution, such as 1K, 2K or 4K.'),
  },
  { title: 'ImageConfig', description: 'Settings of chat models that draw.', additionalProperties: false },
)
export type ImageConfig = Static<typeof ImageConfig>

export const Hook = Type.Object(
  {
    action: Type.String({ description: 'What to do.' }),
    params: optional(freeObject(), 'How to do it.'),
  },
  { title: 'Hook', description: 'A step that runs before or after the call to the provider.' },
)
export type Hook = Static<typeof Hook>

const list = Type.Array(Type.String())
const penalty = Type.Number({ minimum: -2, maximum: 2 })
const tokens = Type.Integer({ minimum: 1 })
const toolChoice = Type.Union([words(['auto', 'required', 'none']), freeObject(), Type.Null()], {
  description: '`auto`, `required`, `none`, or an object that names the tool to call.',
})
const stop = Type.Union([list, Type.String(), Type.Null()], {
  description: 'Texts at which to stop; one may come bare.',
})
const functionCall = Type.Union([freeObject(), Type.String(), Type.Null()], {
  description: 'The legacy form of `tool_choice`.',
})

export const ChatRequest = Type.Object(
  {
    model: Type.String({ description: 'The model, as `provider/model`; or the router.', examples: ['sandbox/echo'] }),
    messages: Type.Array(Message, { description: 'The conversation so far.' }),
    fallbacks: optional(Type.Array(Type.String(), { maxItems: 3 }), 'Models to try, in this order, when one fails.'),
    router_candidates: optional(list, 'What the router may choose from. Everything, when absent.'),
    routing: optional(Routing, 'How the router should choose.'),
    pre_hooks: optional(Type.Array(Hook), 'Steps before the call.'),
    post_hooks: optional(Type.Array(Hook), 'Steps after the call.'),
    n: optional(Type.Integer({ minimum: 1 }), 'How many answers to make.', { default: 1 }),
    reasoning_effort: optional(
      words(['minimal', 'low', 'medium', 'high', 'max', 'xhigh', 'disable', 'none']),
      'How hard to think before answering.',
    ),
    metadata: optional(freeObject(), 'Your own notes on this call.'),
    frequency_penalty: optional(penalty, 'Above 0: repeat the same words less.'),
    presence_penalty: optional(penalty, 'Above 0: move on to new subjects.'),
    logit_bias: optional(mapOf(Type.Number()), 'Token ids that should be likelier or less likely, and by how much.'),
    logprobs: optional(Type.Boolean(), 'Return the probability of each token.', { default: false }),
    top_logprobs: optional(Type.Integer({ minimum: 1, maximum: 20 }), 'How many likely tokens to list per position.'),
    max_tokens: optional(tokens, 'Most tokens to write. The older name of `max_completion_tokens`.'),
    max_completion_tokens: optional(tokens, 'Most tokens to write, reasoning included.'),
    modalities: optional(list, 'Kinds of output wanted, such as text or audio.'),
    prediction: optional(freeObject(), 'What much of the answer will probably be.'),
    audio: optional(freeObject(), 'Voice and format of spoken answers.'),
    response_format: optional(freeObject(), 'Shape of the answer: text, a JSON object, or a JSON schema.'),
    seed: optional(Type.Integer(), 'Same seed, same answer, as far as the provider manages.'),
    service_tier: optional(
      words(['auto', 'default', 'flex', 'scale', 'priority']),
      'Speed against price. `flex` is slower and cheaper; `scale` and `priority` are passed on, as many clients send them.',
    ),
    stop: Type.Optional(stop),
    stream: optional(Type.Boolean(), 'Send the answer as server-sent events while it is written.', { default: false }),
    stream_options: optional(freeObject(), 'For instance `include_usage`.'),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 }), 'Higher is more varied.'),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Choose only among the likeliest tokens.', { default: 1 }),
    tools: optional(Type.Array(freeObject()), 'Tools the model may call.'),
    tool_choice: Type.Optional(toolChoice),
    parallel_tool_calls: optional(Type.Boolean(), 'Whether one answer may hold several calls.'),
    user: optional(Type.String(), 'Who is asking, in your own system.'),
    function_call: Type.Optional(functionCall),
    functions: optional(Type.Array(freeObject()), 'The legacy form of `tools`.'),
    thinking: optional(freeObject(), 'Settings of the reasoning, in the form some providers use.'),
    web_search_options: optional(freeObject(), 'For instance a `search_context_size` of low, medium or high.'),
    verbosity: optional(words(['low', 'medium', 'high']), 'How long an answer should be.'),
    extra_body: optional(freeObject(), 'Further fields for the body that goes to the provider.'),
    image_config: optional(ImageConfig, 'Settings of chat models that draw.'),
    extra_headers: optional(mapOf(Type.String()), 'Further headers for the provider. None that carry credentials.'),
  },
  {
    title: 'ChatRequest',
    description: 'A call of a chat model. Fields not listed here are passed to the provider.',
    additionalProperties: true,
  },
)
export type ChatRequest = Static<typeof ChatRequest>
