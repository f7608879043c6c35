import { askForBytes } from '../../calls/ask-provider.ts'
import { keepSpeech } from '../../calls/keep-speech.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { TaskFailure } from '../../calls/task-failure.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://platform.openai.com/docs/api-reference/audio/createSpeech. It has no pitch and no volume.

const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']

export default adapter(tts, async (task, tools) => {
  const { text, voice, speed } = task.input
  const format = formatOf(task.input.audio_format ?? 'mp3')
  const model = task.model ?? 'tts-1'
  // What is read and what is paid for is not the caller's to change.
  const fixed = { model, input: text, response_format: format, stream_format: undefined }
  const payload = jsonPayload({ voice: voice ?? 'alloy', speed, ...task.params, ...fixed })
  const bytes = await askForBytes(tools, { path: '/audio/speech', payload })
  return { ...(await keepSpeech(tools, format, bytes)), units: measuredUnits(tts, task) }
})

function formatOf(name: string): string {
  const format = name.toLowerCase()
  if (FORMATS.includes(format)) return format
  throw new TaskFailure('bad_request', `audio_format should be one of ${FORMATS.join(', ')}`)
}
