import Type, { type Static } from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { RECORDINGS } from '../../inputs/document-kinds.ts'
import { transcribedRecording } from '../../results/transcribed-recording.ts'
import { nearestLanguage } from '../../inputs/language-tags.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { startJob, stopJob } from '../../http/slow-job.ts'
import { slowAdapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import speechToText from './feature.ts'

// https://www.assemblyai.com/docs/api-reference. The recording is uploaded first; times are in milliseconds.

const ACCEPTED = { types: RECORDINGS, megabytes: 2_252 }

/** The best model, and the one that AssemblyAI takes for the languages that the best one does not speak. */
const MODELS = ['universal-3-5-pro', 'universal-2']
/** Names that AssemblyAI has given up. */
const EARLIER_NAMES: Readonly<Record<string, string>> = { best: 'universal-3-5-pro', universal: 'universal-2' }

const Word = Type.Object({
  text: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  confidence: optional(Type.Number(), 'From 0 to 1.'),
  speaker: optional(Type.String(), 'A letter.'),
})

const readUpload = replyReader(Type.Object({ upload_url: Type.String({ minLength: 1 }) }))

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    text: optional(Type.String(), 'The whole transcript.'),
    words: optional(Type.Array(Word), 'In order.'),
    audio_duration: optional(Type.Number({ minimum: 0 }), 'In seconds.'),
    error: Type.Optional(Type.Unknown()),
  }),
)

type Ticket = { id: string; seconds: number }

export default slowAdapter<typeof speechToText, Ticket>(speechToText, {
  async start(task, tools) {
    const body = await acceptFile(task.files.file!, ACCEPTED).bytes()
    const recording = { type: 'application/octet-stream', body }
    const { upload_url } = await askForJson(tools, { path: '/upload', payload: recording, isFree: true }, readUpload)
    const fixed = { speech_models: modelsFor(task.model), audio_url: upload_url, webhook_url: undefined }
    const payload = jsonPayload({ ...optionsOf(task.input), ...task.params, ...fixed })
    return { ...(await startJob(tools, '/transcript', payload)), seconds: measuredUnits(speechToText, task) }
  },
  async poll({ id, seconds }, tools) {
    const original = await askForJson(tools, { path: `/transcript/${id}` }, readState)
    const { status, text, words, audio_duration, error } = original
    if (status === 'error') throw abandoned(tools, null, error)
    if (status !== 'completed') return 'pending'
    const segments = (words ?? []).map(toWord)
    const transcription = transcribedRecording(
      { text: text ?? '', segments, seconds: audio_duration },
      original,
      seconds,
    )
    // The price is that of the first model without its options, of which telling speakers apart is one.
    return { ...transcription, estimated: true as const }
  },
  // A running transcription cannot be stopped, but the upload and the result can be deleted.
  cancel: ({ id }, tools) => stopJob(tools, `/transcript/${id}`),
})

function modelsFor(requested: string | null): string[] {
  return requested === null ? MODELS : [EARLIER_NAMES[requested] ?? requested]
}

function optionsOf(input: Static<typeof speechToText.input>) {
  const language = namedLanguage(input.language)
  return {
    ...(language === null ? { language_detection: true } : { language_code: codeOf(language) }),
    speaker_labels: true,
    speakers_expected: input.speakers,
    filter_profanity: input.profanity_filter,
    keyterms_prompt: input.vocabulary,
  }
}

/** AssemblyAI distinguishes only three variants of English, and has its own code for British English. */
function codeOf(language: string): string {
  const code = nearestLanguage(language, ['en-AU', 'en-GB', 'en-US'])
  return code === 'en-GB' ? 'en_uk' : code.toLowerCase().replace('-', '_')
}

function toWord({ text: segment, start, end, speaker, confidence = null }: Static<typeof Word>) {
  return { segment, start: start / 1000, end: end / 1000, speaker: speaker ?? undefined, confidence }
}
