import Type, { type Static } from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { RECORDINGS } from '../../inputs/document-kinds.ts'
import { transcribedRecording } from '../../results/transcribed-recording.ts'
import { primaryLanguage } from '../../inputs/language-tags.ts'
import { formPayload, jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { startJob, stopJob } from '../../http/slow-job.ts'
import { slowAdapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import speechToText from './feature.ts'

// https://docs.gladia.io/api-reference. The recording is uploaded first.

const ACCEPTED = { types: RECORDINGS, megabytes: 1_000 }

const Word = Type.Object({
  word: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  confidence: optional(Type.Number(), 'From 0 to 1.'),
})

const Utterance = Type.Object({ speaker: optional(Type.Integer(), 'From 0.'), words: Type.Array(Word) })

const TranscribedRecording = Type.Object({
  metadata: Type.Object({ audio_duration: Type.Number({ minimum: 0 }) }),
  transcription: Type.Object({ full_transcript: Type.String(), utterances: Type.Array(Utterance) }),
})

const readUpload = replyReader(Type.Object({ audio_url: Type.String({ minLength: 1 }) }))

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    error_code: Type.Optional(Type.Unknown()),
    result: optional(TranscribedRecording, 'Once it is done.'),
  }),
)

type Ticket = { id: string; seconds: number }

export default slowAdapter<typeof speechToText, Ticket>(speechToText, {
  async start(task, tools) {
    const recording = await formPayload({}, [{ field: 'audio', file: acceptFile(task.files.file!, ACCEPTED) }])
    const { audio_url } = await askForJson(tools, { path: '/upload', payload: recording, isFree: true }, readUpload)
    const payload = jsonPayload({ ...optionsOf(task.input), ...task.params, audio_url, callback_url: undefined })
    return { ...(await startJob(tools, '/pre-recorded', payload)), seconds: measuredUnits(speechToText, task) }
  },
  async poll({ id, seconds }, tools) {
    const original = await askForJson(tools, { path: `/pre-recorded/${id}` }, readState)
    const { status, error_code, result } = original
    if (status === 'error') throw abandoned(tools, error_code && String(error_code), null)
    if (status !== 'done' || !result) return 'pending'
    const { full_transcript: text, utterances } = result.transcription
    const segments = utterances.flatMap(wordsOf)
    return transcribedRecording({ text, segments, seconds: result.metadata.audio_duration }, original, seconds)
  },
  // A running transcription cannot be stopped, but the upload and the result can be deleted.
  cancel: ({ id }, tools) => stopJob(tools, `/pre-recorded/${id}`),
})

function optionsOf(input: Static<typeof speechToText.input>) {
  const language = primaryLanguage(namedLanguage(input.language))
  const { speakers, vocabulary } = input
  return {
    diarization: true,
    diarization_config: speakers ? { number_of_speakers: speakers } : undefined,
    language_config: language === null ? undefined : { languages: [language] },
    custom_vocabulary: vocabulary?.length ? true : undefined,
    custom_vocabulary_config: vocabulary?.length ? { vocabulary } : undefined,
  }
}

function wordsOf({ speaker, words }: Static<typeof Utterance>) {
  return words.map(({ word, start, end, confidence = null }) => {
    return { segment: word.trim(), start, end, speaker: speaker ?? undefined, confidence }
  })
}
