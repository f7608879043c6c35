import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { optionalLanguage } from '../../fields/language.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { Score } from '../../fields/score.ts'

const Segment = closedObject({
  segment: Type.String({ description: 'The spoken text, mostly one word.' }),
  ...nullableFields(Type.String(), {
    start_time: 'Start time in seconds.',
    end_time: 'End time in seconds.',
  }),
  speaker: Type.Integer({ description: 'Number of the speaker, counted from 1.' }),
  ...nullableFields(Score, { confidence: 'Confidence of the provider, from 0 to 1.' }),
})

const Diarization = closedObject(
  {
    total_speakers: Type.Integer({
      description: 'Number of speakers; 0 if the provider does not tell them apart.',
    }),
    entries: Type.Array(Segment, { description: 'The segments with their speakers, in order.' }),
    ...nullableFields(Type.String(), { error_message: 'Why speakers could not be told apart.' }),
  },
  'Which speaker speaks when.',
)

export default feature({
  feature: 'audio',
  subfeature: 'speech_to_text_async',
  fullname: 'Audio: Speech to text',
  description: 'Transcribes a recording and tells the speakers apart.',
  mode: 'async',
  input: closedObject({
    file: fileInput('The recording.'),
    language: optionalLanguage('Language of the recording.'),
    speakers: optional(Type.Integer({ minimum: 1 }), 'Number of speakers.', { default: 2 }),
    profanity_filter: optional(Type.Boolean(), 'Whether to mask swear words.', { default: false }),
    vocabulary: optional(Type.Array(Type.String()), 'Words to expect, such as names.'),
  }),
  output: closedObject({
    text: Type.String({ description: 'The whole transcript.' }),
    diarization: Diarization,
  }),
  example: {
    input: { file: 'https://example.com/call.mp3', language: 'en', speakers: 2 },
    output: {
      text: 'Hello. Hi there.',
      diarization: {
        total_speakers: 2,
        entries: [
          { segment: 'Hello.', start_time: '0.31', end_time: '0.84', speaker: 1, confidence: 0.98 },
          { segment: 'Hi', start_time: '1.2', end_time: '1.42', speaker: 2, confidence: 0.95 },
          { segment: 'there.', start_time: '1.42', end_time: '1.77', speaker: 2, confidence: null },
        ],
        error_message: null,
      },
    },
  },
  unit: 'second',
})
