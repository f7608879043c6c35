import { askForBytes } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { jsonPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://platform.openai.com/docs/api-reference/audio/createSpeech. There is no pitch and no volume.

const FORMATS = { mp3: 'mp3', opus: 'opus', aac: 'aac', flac: 'flac', wav: 'wav', pcm: 'pcm' }

export default adapter(tts, async (task, tools) => {
  const { text, voice, speed, audio_format } = task.input
  const { name, word: response_format } = audioFormat(audio_format, FORMATS)
  const model = task.model ?? 'tts-1'
  // Callers must not override the text and the model, which determine the price.
  const fixed = { model, input: text, response_format, stream_format: undefined }
  const payload = jsonPayload({ voice: voice ?? 'alloy', speed, ...task.params, ...fixed })
  const bytes = await askForBytes(tools, { path: '/audio/speech', payload })
  return { ...(await keepSpeech(tools, name, bytes)), units: measuredUnits(tts, task) }
})
