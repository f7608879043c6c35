import { acceptText } from '../../inputs/accept-text.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { declined } from '../../http/declined.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { englishText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

const MAX_CHARACTERS = 5_000
/** The length of the header in the engine's files. */
const WAV_HEADER_BYTES = 44
const HEADER_BYTES = { wav: 0, pcm: WAV_HEADER_BYTES }
/** The first voice was the most intelligible. */
const VOICES = ['rms', 'slt', 'awb', 'kal16']

/** English, 16 kHz, mono. There is no pitch, no volume and no mp3; the default format is wav. */
export default adapter(tts, async (task, tools) => {
  const { name, word: start } = audioFormat(task.input.audio_format ?? 'wav', HEADER_BYTES)
  const voice = voiceOf(task.input.voice)
  acceptText(task.input.text, { characters: MAX_CHARACTERS })
  const text = await englishText({ text: task.input.text }, tools)
  const { bytes } = await tools.engine('speech', { text, voice, speed: task.input.speed ?? 1 })
  return { ...(await keepSpeech(tools, name, bytes.subarray(start))), units: measuredUnits(tts, task) }
})

function voiceOf(requested: string | null | undefined): string {
  const name = requested?.toLowerCase() ?? VOICES[0]!
  if (VOICES.includes(name)) return name
  throw declined(`voice should be one of ${VOICES.join(', ')} for this provider`, 422, 'unknown_voice')
}
