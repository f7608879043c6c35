import Type, { type Static } from '../schema/type.ts'
import { exactlyOneOf, freeObject, nullable, optional, words } from '../schema/fields.ts'

const open = { additionalProperties: true }
const fallbacks = optional(Type.Array(Type.String(), { maxItems: 3 }), 'Models to try, in this order, when one fails.')

export const SpeechRequest = Type.Object(
  {
    model: Type.String({ description: 'The model, as `provider/model`.', examples: ['openai/tts-1'] }),
    input: Type.String({ minLength: 1, description: 'What to say.' }),
    voice: Type.Union([Type.String(), freeObject()], { description: 'Who says it; each provider has its own.' }),
    response_format: optional(words(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']), 'Format of the sound.', {
      default: 'mp3',
    }),
    speed: optional(Type.Number({ minimum: 0.25, maximum: 4 }), 'How fast: 1 is usual.'),
    instructions: optional(Type.String(), 'How to say it, where the model can be told.'),
    stream_format: optional(words(['audio', 'sse']), 'Sound, or events that hold it.'),
    fallbacks,
  },
  { title: 'SpeechRequest', description: 'Text to be spoken. Other fields are left out.', ...open },
)
export type SpeechRequest = Static<typeof SpeechRequest>

const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const

const transcription = {
  model: Type.String({ description: 'The model, as `provider/model`.', examples: ['openai/whisper-1'] }),
  language: optional(Type.String(), 'The language that is spoken, such as `en`.'),
  prompt: optional(Type.String(), 'Words that may come up, or what was said before.'),
  response_format: optional(words(TRANSCRIPT_FORMATS), 'How the transcript is written.', { default: 'json' }),
  temperature: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Higher is more varied.'),
  timestamp_granularities: optional(Type.Array(words(['word', 'segment'])), 'What gets times; with `verbose_json`.'),
  user: optional(Type.String(), 'Who is asking, in your own system.'),
  stream: optional(Type.Boolean(), 'Send the transcript as server-sent events.', { default: false }),
  fallbacks,
}

export const TranscriptionFields = Type.Object(transcription, open)
export type TranscriptionFields = Static<typeof TranscriptionFields>

export const TranscriptionRequest = Type.Object(
  {
    ...transcription,
    file_id: Type.Optional(Type.String({ description: 'The id of an uploaded file.' })),
    file_url: Type.Optional(Type.String({ description: 'An http(s) address of the recording.' })),
  },
  {
    title: 'TranscriptionRequest',
    description: 'A recording to write down: exactly one of `file_id` and `file_url`, or a form with `file`.',
    ...exactlyOneOf('file_id', 'file_url'),
    ...open,
  },
)
export type TranscriptionRequest = Static<typeof TranscriptionRequest>

export const TranscriptionForm = Type.Object(
  { ...transcription, file: Type.String({ format: 'binary', description: 'The recording.' }) },
  { title: 'TranscriptionForm', description: 'A recording to write down, as a form.', ...open },
)

export const Transcription = Type.Object(
  {
    text: Type.String({ description: 'What was said.' }),
    usage: Type.Optional(freeObject({ description: 'Tokens or seconds used.' })),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null when it is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'Transcription', description: 'A transcript; with `verbose_json` also segments and words.', ...open },
)
export type Transcription = Static<typeof Transcription>
