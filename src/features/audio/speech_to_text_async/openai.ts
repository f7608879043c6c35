import Type from '../../../contract/type.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { RECORDINGS } from '../../calls/document-kinds.ts'
import { heardRecording } from '../../calls/heard-recording.ts'
import { primaryLanguage } from '../../calls/language-tags.ts'
import { formPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../language.ts'
import { measuredUnits } from '../../measured-units.ts'
import speechToText from './feature.ts'

// https://platform.openai.com/docs/api-reference/audio/createTranscription. It masks nothing, and this way of asking
// does not tell speakers apart.

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
  // Only Whisper says how long the recording is; the later models refuse to.
  const response_format = model.startsWith('whisper') ? 'verbose_json' : 'json'
  const hints = { language: primaryLanguage(namedLanguage(language)), prompt: vocabulary?.join(', ') || null }
  const fields = { ...hints, ...task.params, model, response_format, stream: undefined, file: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file: acceptFile(task.files.file!, ACCEPTED) }])
  const question = { path: '/audio/transcriptions', payload }
  const original = await askForJson(tools, question, readReply)
  const seconds = original.usage?.seconds ?? original.duration
  return heardRecording({ text: original.text, said: [], seconds }, original, measuredUnits(speechToText, task))
})
