import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://docs.mistral.ai/api/endpoint/audio/speech. A voice speaks one language. There is no speed, pitch or volume.

const FORMATS = { mp3: 'mp3', wav: 'wav', pcm: 'pcm', flac: 'flac', opus: 'opus' }

const readReply = replyReader(Type.Object({ audio_data: Type.String({ minLength: 1 }) }))

export default adapter(tts, async (task, tools) => {
  const { text, voice, audio_format } = task.input
  const { name, word: response_format } = audioFormat(audio_format, FORMATS)
  const fixed = { model: task.model ?? 'voxtral-mini-tts-2603', input: text, response_format, stream: undefined }
  const payload = jsonPayload({ voice_id: voice ?? 'en_paul_neutral', ...task.params, ...fixed })
  const { audio_data } = await askForJson(tools, { path: '/audio/speech', payload }, readReply)
  const bytes = Buffer.from(audio_data, 'base64')
  return { ...(await keepSpeech(tools, name, bytes)), units: measuredUnits(tts, task) }
})
