import { acceptText } from '../../inputs/accept-text.ts'
import { askForBytes } from '../../http/ask-provider.ts'
import { audioFormat } from '../../results/audio-format.ts'
import { keepSpeech } from '../../results/keep-speech.ts'
import { jsonPayload } from '../../http/payload.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { DEEPGRAM_PROOF, deepgramQuery } from '../../vendors/deepgram.ts'
import { measuredUnits } from '../../measured-units.ts'
import tts from './feature.ts'

// https://developers.deepgram.com/reference/text-to-speech. Its models are voices; all voices of a generation have the same
// price. It has no speed, pitch or volume.

const FORMATS = {
  mp3: { encoding: 'mp3' },
  wav: { encoding: 'linear16', container: 'wav' },
  ogg: { encoding: 'opus', container: 'ogg' },
  flac: { encoding: 'flac' },
  aac: { encoding: 'aac' },
}

const MAX_CHARS = 2_000

const VOICES: Readonly<Record<string, string>> = { aura: 'aura-asteria-en', 'aura-2': 'aura-2-thalia-en' }

export default adapter(tts, async (task, tools) => {
  const { voice, audio_format } = task.input
  const text = acceptText(task.input.text, { characters: MAX_CHARS })
  const { name, word: encoding } = audioFormat(audio_format, FORMATS)
  const model = voiceOf(task.model ?? 'aura-2', voice ?? null)
  const path = `/speak${deepgramQuery({ ...task.params, model, ...encoding })}`
  const bytes = await askForBytes(tools, { path, payload: jsonPayload({ text }), proof: DEEPGRAM_PROOF })
  return { ...(await keepSpeech(tools, name, bytes)), units: measuredUnits(tts, task) }
})

/** Refuses a voice of another generation, which would have another price. */
function voiceOf(generation: string, voice: string | null): string {
  const fallback = Object.hasOwn(VOICES, generation) ? VOICES[generation] : undefined
  if (!fallback) throw new TaskFailure('model_not_found', `the model should be ${Object.keys(VOICES).join(' or ')}`)
  if (voice === null) return fallback
  if ((voice.startsWith('aura-2-') ? 'aura-2' : 'aura') === generation) return voice
  throw new TaskFailure('bad_request', `voice should be one of ${generation}, such as ${fallback}`)
}
