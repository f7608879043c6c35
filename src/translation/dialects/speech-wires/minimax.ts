import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import { minimax as images, minimaxProblemIn } from '../image-wires/minimax.ts'
import { Notes } from '../notes.ts'
import { recordOf, textOf } from '../../../base/schema/record.ts'
import { type SpeechCall, type SpeechCodec, type SpeechAudio, voiceName } from '../speech-codec.ts'
import { writeJson } from '../../json/written-numbers.ts'

// https://platform.minimax.io/docs/api-reference/speech-t2a-http: the audio comes as hexadecimal digits.

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
}

export const minimaxSpeech: SpeechCodec = { encode, decode, problem: images.problem }

function encode(call: SpeechCall, { baseUrl, model }: Target) {
  const { input, options, format } = call
  if (!Object.hasOwn(TYPES, format)) throw cannotTake(['response_format'], 'MiniMax supports mp3, wav, flac and pcm')
  const notes = new Notes()
  if (options.instructions != null)
    notes.dropped('instructions', 'this provider accepts no instructions about how to speak')
  const body = {
    model,
    text: input,
    stream: false,
    output_format: 'hex',
    voice_setting: { voice_id: voiceName(call), ...(options.speed != null && { speed: options.speed }) },
    audio_setting: { format },
  }
  const headers = { 'content-type': 'application/json' }
  return {
    wire: { method: 'POST' as const, url: `${baseUrl}/t2a_v2`, headers, body: writeJson(body, options) },
    notes: notes.list,
  }
}

function decode(text: string, { format }: SpeechCall): SpeechAudio {
  const value = recordOf(tryParse(text))
  const failure = minimaxProblemIn(value)
  if (failure) throw failure
  const bytes = Buffer.from(textOf(recordOf(value.data).audio), 'hex')
  if (bytes.length === 0) throw notAnAnswer(text, 'speech')
  return { type: TYPES[format]!, bytes }
}
