import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { AUDIO_TYPES } from '../../inputs/document-kinds.ts'
import { transcribedRecording } from '../../results/transcribed-recording.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import speechToText from './feature.ts'

// https://docs.mistral.ai/capabilities/audio_transcription. Mistral can tell speakers apart only if it detects the language
// itself.

const ACCEPTED = { types: AUDIO_TYPES, megabytes: 1_024 }

const Seconds = Type.Number({ minimum: 0 })
const Segment = Type.Object({
  text: Type.String(),
  start: Seconds,
  end: Seconds,
  speaker_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const readReply = replyReader(
  Type.Object({
    text: Type.String(),
    segments: Type.Optional(Type.Array(Segment)),
    usage: Type.Optional(
      Type.Object({ prompt_audio_seconds: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) }),
    ),
  }),
)

export default adapter(speechToText, async (task, tools) => {
  const model = task.model ?? 'voxtral-mini-latest'
  const request = { diarize: true, timestamp_granularities: 'segment' }
  const fields = { ...request, ...task.params, model, stream: undefined, file: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file: acceptFile(task.files.file!, ACCEPTED) }])
  const original = await askForJson(tools, { path: '/audio/transcriptions', payload }, readReply)
  const segments = (original.segments ?? []).map(({ text, start, end, speaker_id }) => {
    return { segment: text.trim(), start, end, speaker: speaker_id ?? undefined, confidence: null }
  })
  const transcription = { text: original.text, segments, seconds: original.usage?.prompt_audio_seconds }
  return transcribedRecording(transcription, original, measuredUnits(speechToText, task))
})
