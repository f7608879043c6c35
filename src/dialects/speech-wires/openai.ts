import type { Target } from '../dialect.ts'
import { problem } from '../openai/problem.ts'
import type { SpeechCall, SpeechFace } from '../speech-face.ts'

// https://platform.openai.com/docs/api-reference/audio/createSpeech: what our callers say goes on as it is.

export const openaiSpeech: SpeechFace = { encode, problem }

function encode({ given }: SpeechCall, { baseUrl, model }: Target) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...given, model })
  return { wire: { method: 'POST' as const, url: `${baseUrl}/audio/speech`, headers, body }, notes: [] }
}
