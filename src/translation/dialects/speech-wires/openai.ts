import type { Target } from '../chat-codec.ts'
import { problem } from '../openai/problem.ts'
import type { SpeechCall, SpeechCodec } from '../speech-codec.ts'
import { writeJson } from '../../json/written-numbers.ts'

// https://platform.openai.com/docs/api-reference/audio/createSpeech: the fields of our callers are passed on unchanged.

export const openaiSpeech: SpeechCodec = { encode, problem }

function encode({ options }: SpeechCall, { baseUrl, model }: Target) {
  const headers = { 'content-type': 'application/json' }
  const body = writeJson({ ...options, model }, options)
  return { wire: { method: 'POST' as const, url: `${baseUrl}/audio/speech`, headers, body }, notes: [] }
}
