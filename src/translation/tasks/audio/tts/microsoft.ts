import { askForBytes } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { escaped, toSsml } from '../../results/ssml.ts'
import { type Voices, voiceOf } from '../../results/voice-of.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech

const FORMATS = {
  mp3: 'audio-24khz-48kbitrate-mono-mp3',
  wav: 'riff-24khz-16bit-mono-pcm',
  pcm: 'raw-24khz-16bit-mono-pcm',
}

/** The default voices; high-definition voices have their own price. */
const VOICES: Voices = {
  neural: 'en-US-JennyNeural',
  'neural-hd': 'en-US-Ava:DragonHDLatestNeural',
}

export default adapter(tts, async (task, tools) => {
  const { name: format, word } = audioFormat(task.input.audio_format, FORMATS)
  const kind = task.model ?? 'neural'
  const isHd = kind === 'neural-hd'
  const voice = voiceOf(task.input.voice, kind, VOICES, (requested) => /:DragonHD/i.test(requested) === isHd)
  const locale = voice.split('-').slice(0, 2).join('-')
  const inner = `<voice name="${escaped(voice)}">${toSsml(task.input.text, task.input)}</voice>`
  const body = `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${escaped(locale)}">${inner}</speak>`
  const headers = { 'x-microsoft-outputformat': word, 'user-agent': 'gatehouse' }
  const payload = { type: 'application/ssml+xml', body }
  const bytes = await askForBytes(tools, { service: 'tts', path: '/cognitiveservices/v1', payload, headers })
  return { ...(await keepSpeech(tools, format, bytes)), units: measuredUnits(tts, task) }
})
