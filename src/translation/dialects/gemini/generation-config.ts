import { maxAnswerTokens, stopTexts } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { textOf } from '../../../base/schema/record.ts'
import { toThinking } from './thinking.ts'
import { type GenerationConfig, MAX_CANDIDATES } from './wire.ts'

const MAX_STOPS = 5

export function toGenerationConfig(fields: RequestFields, target: Target, notes: Notes): GenerationConfig {
  return withoutUndefined({
    temperature: fields.temperature,
    topP: fields.top_p,
    topK: (fields as { top_k?: number }).top_k,
    maxOutputTokens: maxAnswerTokens(fields),
    presencePenalty: fields.presence_penalty,
    frequencyPenalty: fields.frequency_penalty,
    candidateCount: candidates(fields),
    stopSequences: stops(fields, notes),
    seed: seed(fields, notes),
    ...logprobs(fields, notes),
    responseModalities: modalities(fields),
    speechConfig: speech(fields, notes),
    imageConfig: image(fields),
    thinkingConfig: toThinking(fields, target.traits?.thinking, notes),
  })
}

/** A streamed reply has one candidate; the gateway sends several requests if more are wanted. */
function candidates({ n, stream }: RequestFields): number | undefined {
  if (!n || n === 1 || stream) return undefined
  if (n > MAX_CANDIDATES) throw cannotTake(['n'], `Gemini gives at most ${MAX_CANDIDATES} answers to one call`)
  return n
}

function stops(fields: RequestFields, notes: Notes): string[] | undefined {
  const value = stopTexts(fields)
  if (value.length > MAX_STOPS)
    notes.translated('stop', `Gemini accepts ${MAX_STOPS} stop sequences: the first ones are used`)
  return value.length > 0 ? value.slice(0, MAX_STOPS) : undefined
}

/** Gemini's seed has 32 bits. */
function seed({ seed }: RequestFields, notes: Notes): number | undefined {
  if (seed === undefined) return undefined
  const folded = seed | 0
  if (folded !== seed) notes.translated('seed', "Gemini's seed has 32 bits")
  return folded
}

function logprobs({ logprobs, top_logprobs }: RequestFields, notes: Notes): GenerationConfig {
  if (logprobs) return { responseLogprobs: true, ...(top_logprobs && { logprobs: top_logprobs }) }
  if (top_logprobs) notes.dropped('top_logprobs', 'logprobs is not requested')
  return {}
}

function modalities({ modalities }: RequestFields): string[] | undefined {
  return modalities?.length ? modalities.map((word) => word.toUpperCase()) : undefined
}

function speech({ audio }: RequestFields, notes: Notes): GenerationConfig['speechConfig'] {
  if (!audio) return undefined
  if (audio.format) notes.dropped('audio.format', 'Gemini generates raw PCM audio only')
  const voiceName = textOf(audio.voice)
  return voiceName ? { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } : undefined
}

function image({ image_config }: RequestFields): GenerationConfig['imageConfig'] {
  const { aspect_ratio, image_size } = image_config ?? {}
  if (!aspect_ratio && !image_size) return undefined
  return { ...(aspect_ratio && { aspectRatio: aspect_ratio }), ...(image_size && { imageSize: image_size }) }
}

function withoutUndefined(
  config: { [Field in keyof GenerationConfig]: GenerationConfig[Field] | undefined },
): GenerationConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
}
