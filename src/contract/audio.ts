import Type, { type Static } from '../base/schema/type.ts'
import { exactlyOneOf, freeObject, nullable, open, openObject, optional, uuid, words } from '../base/schema/fields.ts'

const fallbacks = optional(Type.Array(Type.String(), { maxItems: 3 }), 'Models to try, in this order, when one fails.')

export const SpeechRequest = Type.Object(
  {
    model: Type.String({ description: 'The model, as `provider/model`.', examples: ['openai/tts-1'] }),
    input: Type.String({ minLength: 1, description: 'The text to speak.' }),
    voice: Type.Union([Type.String(), openObject('VoiceObject', 'id', 'A voice of your own.')], {
      description: 'The voice. Each provider has its own voices.',
    }),
    response_format: optional(words(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']), 'The audio format.', {
      default: 'mp3',
    }),
    speed: optional(Type.Number({ minimum: 0.25, maximum: 4 }), 'The speed: 1 is normal.'),
    instructions: optional(Type.String(), 'How to speak, if the model takes instructions.'),
    stream_format: optional(words(['audio', 'sse']), 'Audio, or server-sent events that contain it.'),
    fallbacks,
  },
  {
    title: 'SpeechRequest',
    description: 'Text to turn into speech. Fields not listed here are dropped, with a note.',
    ...open,
  },
)
export type SpeechRequest = Static<typeof SpeechRequest>

const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const

const transcription = {
  model: Type.String({ description: 'The model, as `provider/model`.', examples: ['openai/whisper-1'] }),
  language: optional(Type.String(), 'The language of the recording, such as `en`.'),
  prompt: optional(Type.String(), 'Words that may occur, or the text that came before.'),
  response_format: optional(words(TRANSCRIPT_FORMATS), 'The format of the transcript.', { default: 'json' }),
  temperature: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Higher is more varied.'),
  timestamp_granularities: optional(
    Type.Array(words(['word', 'segment'])),
    'What gets timestamps; with `verbose_json`.',
  ),
  user: optional(Type.String(), 'Your own identifier of the end user.'),
  stream: optional(Type.Boolean(), 'Send the transcript as server-sent events.', { default: false }),
  fallbacks,
}

export const TranscriptionFields = Type.Object(transcription, open)
export type TranscriptionFields = Static<typeof TranscriptionFields>

export const TranscriptionRequest = Type.Object(
  {
    ...transcription,
    file_id: Type.Optional(uuid('The id of an uploaded file.')),
    file_url: Type.Optional(Type.String({ description: 'An http(s) URL of the recording.' })),
  },
  {
    title: 'TranscriptionRequest',
    description: 'A recording to transcribe: exactly one of `file_id` and `file_url`, or a form with `file`.',
    ...exactlyOneOf('file_id', 'file_url'),
    ...open,
  },
)
export type TranscriptionRequest = Static<typeof TranscriptionRequest>

export const TranscriptionForm = Type.Object(
  { ...transcription, file: Type.String({ format: 'binary', description: 'The recording.' }) },
  { title: 'TranscriptionForm', description: 'A recording to transcribe, as a form.', ...open },
)

const { language: _, timestamp_granularities: __, stream: ___, ...common } = transcription

const translation = {
  ...common,
  response_format: optional(words(['json', 'text', 'srt', 'verbose_json', 'vtt']), 'The format of the translation.', {
    default: 'json',
  }),
}

export const TranslationFields = Type.Object(translation, open)

export const TranslationRequest = Type.Object(
  {
    ...translation,
    file_id: TranscriptionRequest.properties.file_id,
    file_url: TranscriptionRequest.properties.file_url,
  },
  {
    title: 'TranslationRequest',
    description: 'A recording to translate: exactly one of `file_id` and `file_url`, or a form with `file`.',
    ...exactlyOneOf('file_id', 'file_url'),
    ...open,
  },
)
export type TranslationRequest = Static<typeof TranslationRequest>

export const TranslationForm = Type.Object(
  { ...translation, file: Type.String({ format: 'binary', description: 'The recording.' }) },
  { title: 'TranslationForm', description: 'A recording to translate, as a form.', ...open },
)

export const Transcription = Type.Object(
  {
    text: Type.String({ description: 'The text of the recording.' }),
    usage: Type.Optional(freeObject({ description: 'Tokens or seconds used.' })),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'Transcription', description: 'A transcript; with `verbose_json` also segments and words.', ...open },
)
export type Transcription = Static<typeof Transcription>
