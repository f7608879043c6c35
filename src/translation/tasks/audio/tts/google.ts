import Type from '../../../../base/schema/type.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { type Voices, voiceOf } from '../../results/voice-of.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize

const MAX_BYTES = 5_000
const FORMATS = { mp3: 'MP3', wav: 'LINEAR16', ogg: 'OGG_OPUS' }
const SEMITONES_PER_PERCENT = 0.2
const DECIBELS_PER_PERCENT = 0.1

/** The default voice of each kind; the kind is part of the voice's name and determines the price. */
const VOICES: Voices = {
  standard: 'en-US-Standard-A',
  wavenet: 'en-US-Wavenet-A',
  neural2: 'en-US-Neural2-A',
  news: 'en-US-News-K',
  casual: 'en-US-Casual-K',
  polyglot: 'en-US-Polyglot-1',
  studio: 'en-US-Studio-O',
  'chirp-hd': 'en-US-Chirp-HD-F',
  'chirp3-hd': 'en-US-Chirp3-HD-Aoede',
}

const readReply = replyReader(Type.Object({ audioContent: Type.String({ minLength: 1 }) }))

export default adapter(tts, async (task, tools) => {
  const { text, speed, speaking_pitch, speaking_volume } = task.input
  const { name: format, word: audioEncoding } = audioFormat(task.input.audio_format, FORMATS)
  const kind = task.model ?? 'standard'
  const name = voiceOf(task.input.voice, kind, VOICES, (voice) => voice.toLowerCase().includes(`-${kind}-`))
  const audioConfig = {
    ...(speed && { speakingRate: speed }),
    ...(speaking_pitch && { pitch: speaking_pitch * SEMITONES_PER_PERCENT }),
    ...(speaking_volume && { volumeGainDb: speaking_volume * DECIBELS_PER_PERCENT }),
    audioEncoding,
  }
  const voice = { languageCode: name.split('-').slice(0, 2).join('-'), name }
  const input = { text: acceptText(text, { bytes: MAX_BYTES }) }
  const payload = jsonPayload({ ...task.params, input, voice, audioConfig })
  const reply = await askForJson(tools, { service: 'texttospeech', path: '/v1/text:synthesize', payload }, readReply)
  const stored = await keepSpeech(tools, format, Buffer.from(reply.audioContent, 'base64'))
  return { ...stored, units: measuredUnits(tts, task) }
})
