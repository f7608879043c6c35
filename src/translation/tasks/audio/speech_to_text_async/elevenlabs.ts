import Type, { type Static } from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { RECORDINGS } from '../../inputs/document-kinds.ts'
import { transcribedRecording } from '../../results/transcribed-recording.ts'
import { primaryLanguage } from '../../inputs/language-tags.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import speechToText from './feature.ts'

// https://elevenlabs.io/docs/api-reference/speech-to-text/convert. It cannot mask words and accepts no vocabulary.

const ACCEPTED = { types: RECORDINGS, megabytes: 3_072 }

const Word = Type.Object({
  text: Type.String(),
  type: Type.String(),
  start: optional(Type.Number(), 'In seconds.'),
  end: optional(Type.Number(), 'In seconds.'),
  speaker_id: optional(Type.String(), 'Who speaks.'),
})

const readReply = replyReader(
  Type.Object({
    text: Type.String(),
    words: Type.Array(Word),
    audio_duration_secs: optional(Type.Number({ minimum: 0 }), 'How long it is.'),
  }),
)

export default adapter(speechToText, async (task, tools) => {
  const language_code = primaryLanguage(namedLanguage(task.input.language))
  const options = { diarize: true, tag_audio_events: false, num_speakers: task.input.speakers, language_code }
  const fixed = { model_id: task.model ?? 'scribe_v2', file: undefined, webhook: undefined }
  const payload = await formPayload({ ...options, ...task.params, ...fixed }, [
    { field: 'file', file: acceptFile(task.files.file!, ACCEPTED) },
  ])
  const original = await askForJson(tools, { path: '/speech-to-text', payload }, readReply)
  const { text, words, audio_duration_secs: seconds } = original
  const segments = words.filter(({ type }) => type === 'word').map(toWord)
  return transcribedRecording({ text, segments, seconds }, original, measuredUnits(speechToText, task))
})

function toWord({ text: segment, start = null, end = null, speaker_id }: Static<typeof Word>) {
  return { segment, start, end, speaker: speaker_id ?? undefined, confidence: null }
}
