import Type from '../../../../base/schema/type.ts'
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

// https://platform.openai.com/docs/api-reference/audio/createTranscription. It cannot mask words, and this request does not
// tell speakers apart.

const ACCEPTED = { types: RECORDINGS, megabytes: 25 }

const seconds = Type.Number({ minimum: 0 })

const readReply = replyReader(
  Type.Object({
    text: Type.String(),
    duration: Type.Optional(seconds),
    usage: Type.Optional(Type.Object({ seconds: Type.Optional(seconds) })),
  }),
)

export default adapter(speechToText, async (task, tools) => {
  const { language, vocabulary } = task.input
  const model = task.model ?? 'whisper-1'
  // Only Whisper reports the duration; later models refuse to.
  const response_format = model.startsWith('whisper') ? 'verbose_json' : 'json'
  const hints = { language: primaryLanguage(namedLanguage(language)), prompt: vocabulary?.join(', ') || null }
  const fields = { ...hints, ...task.params, model, response_format, stream: undefined, file: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file: acceptFile(task.files.file!, ACCEPTED) }])
  const question = { path: '/audio/transcriptions', payload }
  const original = await askForJson(tools, question, readReply)
  const seconds = original.usage?.seconds ?? original.duration
  return transcribedRecording(
    { text: original.text, segments: [], seconds },
    original,
    measuredUnits(speechToText, task),
  )
})
