import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, nullable, open, optional } from '../../base/schema/fields.ts'
import { ChatRequest, GATEWAY_FIELDS } from '../chat.ts'
import { ChatChunk, ChatCompletion } from '../chat-reply.ts'
import { ErrorBody } from '../errors.ts'

// OpenAI's first endpoint for text, which many clients still use.

const some = { minItems: 1, maxItems: 2048 }
const tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })
const chat = ChatRequest.properties

export const CompletionsRequest = Type.Object(
  {
    model: chat.model,
    prompt: Type.Union([Type.String(), Type.Array(Type.String(), some), tokens, Type.Array(tokens, some)], {
      description: 'A text, or several texts. Tokens are refused, because they depend on the vocabulary of a model.',
    }),
    suffix: optional(Type.String(), 'The text that follows the completion; only for models that complete text.'),
    echo: optional(Type.Boolean(), 'Whether the answer begins with the prompt.', { default: false }),
    n: chat.n,
    best_of: optional(
      Type.Integer({ minimum: 0, maximum: 20 }),
      'How many completions to choose from. More than `n` only for models that complete text.',
    ),
    logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 }), 'How many likely tokens to list per position.'),
    max_tokens: optional(
      Type.Integer({ minimum: 0 }),
      'The maximum number of tokens to write. The default is that of the model.',
    ),
    temperature: chat.temperature,
    top_p: chat.top_p,
    stop: chat.stop,
    seed: chat.seed,
    presence_penalty: chat.presence_penalty,
    frequency_penalty: chat.frequency_penalty,
    logit_bias: chat.logit_bias,
    stream: chat.stream,
    stream_options: chat.stream_options,
    user: chat.user,
    metadata: chat.metadata,
    extra_body: chat.extra_body,
    ...GATEWAY_FIELDS,
  },
  {
    title: 'CompletionsRequest',
    description: 'A text to complete. Fields not listed here are passed to the provider.',
    ...open,
  },
)
export type CompletionsRequest = Static<typeof CompletionsRequest>

const choice = Type.Object(
  {
    text: Type.String({ description: 'The completion, or a piece of it.' }),
    index: Type.Integer({ minimum: 0, description: 'The index of this completion: first those of the first prompt.' }),
    logprobs: nullable(freeObject(), 'Probabilities of the tokens, if requested.'),
    finish_reason: nullable(Type.String(), '`stop`, `length` or `content_filter`; null before the end.'),
  },
  open,
)

const { id, created, model, system_fingerprint, cost, provider, gatehouse } = ChatChunk.properties

export const TextCompletion = Type.Object(
  {
    id,
    object: Type.Literal('text_completion'),
    created,
    model,
    choices: Type.Array(choice, { description: 'The completions. Empty in the event that carries the usage.' }),
    usage: ChatCompletion.properties.usage,
    system_fingerprint,
    cost,
    provider,
    gatehouse,
  },
  { title: 'TextCompletion', description: 'A completion, or one event of a streamed one.', ...open },
)
export type TextCompletion = Static<typeof TextCompletion>

export const TextCompletionEvent = Type.Union([TextCompletion, ErrorBody], {
  title: 'TextCompletionEvent',
  description: 'One event of a streamed completion: a piece, or at the end the reason why the stream broke.',
})
