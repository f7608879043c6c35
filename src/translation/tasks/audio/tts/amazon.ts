import { acceptText } from '../../inputs/accept-text.ts'
import { askForFile } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { jsonPayload } from '../../http/payload.ts'
import { toSsml } from '../../results/ssml.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://docs.aws.amazon.com/polly/latest/dg/API_SynthesizeSpeech.html

const MAX_CHARACTERS = 3_000
const FORMATS = { mp3: 'mp3', ogg: 'ogg_vorbis', pcm: 'pcm' }

export default adapter(tts, async (task, tools) => {
  const { voice, speed, speaking_pitch, speaking_volume } = task.input
  const { name: format, word: OutputFormat } = audioFormat(task.input.audio_format, FORMATS)
  const text = acceptText(task.input.text, { characters: MAX_CHARACTERS })
  const isPlain = !speed && !speaking_pitch && !speaking_volume
  const words = isPlain ? { Text: text, TextType: 'text' } : { Text: ssmlOf(text, task.input), TextType: 'ssml' }
  const chosen = { VoiceId: voice ?? 'Joanna', Engine: task.model ?? 'standard', OutputFormat }
  const payload = jsonPayload({ ...task.params, ...chosen, ...words })
  const { headers, bytes } = await askForFile(tools, { service: 'polly', path: '/v1/speech', payload })
  const stored = await keepSpeech(tools, format, bytes)
  // Amazon reports the number of billed characters.
  const charged = Number(headers['x-amzn-requestcharacters'])
  return { ...stored, units: charged > 0 ? charged : measuredUnits(tts, task) }
})

function ssmlOf(text: string, prosody: Parameters<typeof toSsml>[1]): string {
  const { speaking_volume: percent } = prosody
  // Volume is in decibels here.
  const louder = percent ? `<prosody volume="${percent > 0 ? '+' : ''}${percent / 10}dB">` : ''
  const inner = toSsml(text, { ...prosody, speaking_volume: null })
  return `<speak>${louder}${inner}${louder && '</prosody>'}</speak>`
}
