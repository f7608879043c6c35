import { tryParse } from '../../json/try-parse.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { endingOf } from '../answer/finish-reason.ts'
import { notAnAnswer } from '../answer-problems.ts'
import type { Target } from '../chat-codec.ts'
import { problem, problemIn } from '../gemini/problem.ts'
import { toUsage } from '../gemini/usage.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { Notes } from '../notes.ts'
import { recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { type SpeechCall, type SpeechCodec, type SpeechAudio, voiceName } from '../speech-codec.ts'
import { waveFile } from './wave-file.ts'
import { writeJson } from '../../json/written-numbers.ts'

// https://ai.google.dev/gemini-api/docs/speech-generation: a chat with a model that answers with audio, as raw samples.

const DEFAULT_RATE_HZ = 24_000

export const geminiSpeech: SpeechCodec = { serves: (model) => /tts/.test(model), encode, decode, problem }

function encode(call: SpeechCall, { baseUrl, model }: Target) {
  const { input, options } = call
  const notes = new Notes()
  if (options.speed != null) notes.dropped('speed', 'this provider accepts only `instructions` about how to speak')
  const { response_format: format } = options
  if (format != null && format !== 'wav' && format !== 'pcm')
    notes.dropped('response_format', 'this provider sends samples, which come as a wav file')
  const text = options.instructions ? `${options.instructions}: ${input}` : input
  const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: voiceName(call) } } }
  const body = {
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig: { responseModalities: ['AUDIO'], speechConfig },
  }
  const url = `${baseUrl}/models/${pathSegment(model)}:generateContent`
  const headers = { 'content-type': 'application/json' }
  return { wire: { method: 'POST' as const, url, headers, body: writeJson(body, options) }, notes: notes.list }
}

/** Returns a file that plays everywhere, or the raw samples if the caller asked for them. */
function decode(text: string, { format }: SpeechCall): SpeechAudio {
  const value = recordOf(tryParse(text))
  const failure = problemIn(value)
  if (failure) throw failure
  const { content, finishReason } = recordsIn(value.candidates)[0] ?? {}
  const parts = recordsIn(recordOf(content).parts)
  const audioParts = parts.map(({ inlineData }) => recordOf(inlineData)).filter(({ data }) => textOf(data))
  if (audioParts.length === 0) throw notAnAnswer(text, 'speech')
  refuseCut(finishReason)
  const samples = Buffer.concat(audioParts.map(({ data }) => Buffer.from(textOf(data), 'base64')))
  const rate = Number(/rate=(\d{1,6})\b/.exec(textOf(audioParts[0]!.mimeType))?.[1] ?? DEFAULT_RATE_HZ)
  const usage = toUsage(value.usageMetadata)
  if (format === 'pcm') return { type: `audio/pcm;rate=${rate}`, bytes: samples, usage }
  return { type: 'audio/wav', bytes: waveFile(samples, rate), usage }
}

/** Half of a speech would sound like the whole, and a file has no place to say otherwise. */
function refuseCut(reason: unknown): void {
  const { finish_reason } = endingOf(reason)
  if (finish_reason !== null && finish_reason !== 'stop')
    throw new UpstreamProblem('cut', `the provider ended its speech with ${reason}`)
}
