import Type from '../base/schema/type.ts'
import { freeObject, nullable, open } from '../base/schema/fields.ts'
import { ChatChunk } from './chat-reply.ts'
import { ErrorBody } from './errors.ts'
import { ImageResponse } from './images.ts'
import { MessagesReply } from './messages.ts'
import { ResponseObject } from './responses.ts'

// Events of streams. Providers add events of their own, so `type` is open, and so are the fields of an event.

const index = Type.Optional(Type.Integer({ minimum: 0, description: 'The index of the block.' }))

export const ChatEvent = Type.Union([ChatChunk, ErrorBody], {
  title: 'ChatEvent',
  description: 'One event of a streamed chat: a chunk, or at the end the reason why the stream broke.',
})

export const MessageEvent = Type.Object(
  {
    type: Type.String({
      description:
        '`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, ' +
        '`message_stop`, `ping` or `error`.',
    }),
    message: Type.Optional(Type.Unsafe<object>(partial(MessagesReply, 'The message as it begins.'))),
    index,
    content_block: Type.Optional(freeObject({ description: 'The block that begins.' })),
    delta: Type.Optional(freeObject({ description: 'What is added to the block or to the message.' })),
    usage: Type.Optional(freeObject({ description: 'Tokens used and the cost; in `message_delta`.' })),
    error: Type.Optional(freeObject({ description: 'Why the stream failed; in `error`.' })),
  },
  { title: 'MessageEvent', description: 'One event of a streamed message.', ...open },
)

export const ResponseEvent = Type.Object(
  {
    type: Type.String({
      description: 'For example `response.created`, `response.output_text.delta`, `response.completed` or `error`.',
    }),
    sequence_number: Type.Integer({ minimum: 0, description: 'The index of the event.' }),
    response: Type.Optional(Type.Unsafe<object>({ ...ResponseObject })),
    output_index: Type.Optional(Type.Integer({ minimum: 0, description: 'The index of the item.' })),
    item_id: Type.Optional(Type.String({ description: 'The id of the item.' })),
    item: Type.Optional(freeObject({ description: 'The item that begins or ends.' })),
    delta: Type.Optional(Type.Unknown({ description: 'What is added to the item; mostly a text.' })),
    error: Type.Optional(freeObject({ description: 'Why the stream failed; in `error`.' })),
  },
  { title: 'ResponseEvent', description: 'One event of a streamed response.', ...open },
)

export const TranscriptionEvent = Type.Object(
  {
    type: Type.String({ description: 'For example `transcript.text.delta` or `transcript.text.done`.' }),
    delta: Type.Optional(Type.String({ description: 'The next piece of the text.' })),
    text: Type.Optional(Type.String({ description: 'The whole text; in the last event.' })),
    usage: Type.Optional(freeObject({ description: 'Tokens or seconds used; in the last event.' })),
    cost: Type.Optional(nullable(Type.Number(), 'What the call cost, in USD, if the gateway wrote the event.')),
  },
  { title: 'TranscriptionEvent', description: 'One event of a streamed transcript.', ...open },
)

export const ImageStreamEvent = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        description:
          '`image_generation.partial_image` or `image_generation.completed`; of an edit, `image_edit.partial_image` or ' +
          '`image_edit.completed`. Absent in an error.',
      }),
    ),
    b64_json: Type.Optional(nullable(Type.String(), 'The image in base64. Null if there is a `url`.')),
    url: Type.Optional(Type.String({ description: 'A link to the image, if that was asked for.' })),
    revised_prompt: Type.Optional(Type.String({ description: 'The prompt as the provider rewrote it.' })),
    partial_image_index: Type.Optional(Type.Integer({ minimum: 0, description: 'The index of a partial image.' })),
    created_at: Type.Optional(Type.Integer({ description: 'The time, in seconds since 1970.' })),
    size: Type.Optional(Type.String({ description: 'The resolution, or `auto` if it is not known.' })),
    quality: Type.Optional(Type.String({ description: 'The quality, or `auto` if it is not known.' })),
    background: Type.Optional(Type.String({ description: 'The background, or `auto` if it is not known.' })),
    output_format: Type.Optional(Type.String({ description: 'The format of the image, such as png.' })),
    usage: Type.Optional({
      ...ImageResponse.properties.usage,
      description: 'Tokens used for all images; in the last event.',
    }),
    cost: Type.Optional(nullable(Type.Number(), 'What the call cost, in USD; in the last event.')),
    provider: Type.Optional(Type.String({ description: 'The provider that answered; in the last event.' })),
    error: Type.Optional(freeObject({ description: 'Why the stream broke; in the event `error`.' })),
  },
  { title: 'ImageStreamEvent', description: 'One event of streamed images.', ...open },
)

export const SpeechEvent = Type.Object(
  {
    type: Type.String({ description: '`speech.audio.delta` or `speech.audio.done`.' }),
    audio: Type.Optional(Type.String({ description: 'The next piece of the audio, in base64.' })),
    usage: Type.Optional(freeObject({ description: 'Tokens used; in the last event.' })),
  },
  { title: 'SpeechEvent', description: 'One event of streamed speech.', ...open },
)

/** The fields of an answer, without a rule about which of them are there yet. */
function partial({ properties }: { properties: object }, description: string) {
  return { type: 'object', properties, description, ...open }
}
