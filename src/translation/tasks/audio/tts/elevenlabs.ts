import { pathSegment } from '../../../wire/path-segment.ts'
import { askForBytes } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { declined } from '../../http/declined.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { jsonPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://elevenlabs.io/docs/api-reference/text-to-speech/convert. A voice is an id. There is no pitch and no volume.

const FORMATS = {
  mp3: 'mp3_44100_128',
  wav: 'wav_44100',
  pcm: 'pcm_24000',
  opus: 'opus_48000_128',
  ulaw: 'ulaw_8000',
  alaw: 'alaw_8000',
}

/** The default voice, which callers may also call by its name. */
const RACHEL = '21m00Tcm4TlvDq8ikWAM'

const noSuchVoice = () => declined('there is no such voice', 422, 'unknown_voice')

export default adapter(tts, async (task, tools) => {
  const { text, voice, speed, audio_format } = task.input
  const { name, word: output_format } = audioFormat(audio_format, FORMATS)
  const id = !voice || voice.toLowerCase() === 'rachel' ? RACHEL : voice
  const voice_settings = speed ? { speed } : undefined
  const model_id = task.model ?? 'eleven_multilingual_v2'
  const payload = jsonPayload({ voice_settings, ...task.params, text, model_id })
  const path = `/text-to-speech/${pathSegment(id, noSuchVoice)}?output_format=${output_format}`
  const bytes = await askForBytes(tools, { path, payload })
  return { ...(await keepSpeech(tools, name, bytes)), units: measuredUnits(tts, task) }
})
