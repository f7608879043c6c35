import { mostTokens, stopTexts } from '../asked/answer-limits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../dialect.ts'
import type { Notes } from '../notes.ts'
import { textOf } from '../record.ts'
import { toThinking } from './thinking.ts'
import { type GenerationConfig, MAX_CANDIDATES } from './wire.ts'

const MAX_STOPS = 5

export function toGenerationConfig(asked: Asked, target: Target, notes: Notes): GenerationConfig {
  return withoutUndefined({
    temperature: asked.temperature,
    topP: asked.top_p,
    topK: (asked as { top_k?: number }).top_k,
    maxOutputTokens: mostTokens(asked),
    presencePenalty: asked.presence_penalty,
    frequencyPenalty: asked.frequency_penalty,
    candidateCount: candidates(asked),
    stopSequences: stops(asked, notes),
    seed: seed(asked, notes),
    ...logprobs(asked, notes),
    responseModalities: modalities(asked),
    speechConfig: speech(asked, notes),
    imageConfig: image(asked),
    thinkingConfig: toThinking(asked, target.traits?.thinking, notes),
  })
}

/** A streamed reply has one candidate; the gateway asks several times where more are wanted. */
function candidates({ n, stream }: Asked): number | undefined {
  if (!n || n === 1 || stream) return undefined
  if (n > MAX_CANDIDATES) throw cannotTake(['n'], `Gemini gives at most ${MAX_CANDIDATES} answers to one call`)
  return n
}

function stops(asked: Asked, notes: Notes): string[] | undefined {
  const given = stopTexts(asked)
  if (given.length > MAX_STOPS) notes.translated('stop', `Gemini takes ${MAX_STOPS} stop sequences: the first ones`)
  return given.length > 0 ? given.slice(0, MAX_STOPS) : undefined
}

/** The wire's seed has 32 bits. */
function seed({ seed }: Asked, notes: Notes): number | undefined {
  if (seed === undefined) return undefined
  const folded = seed | 0
  if (folded !== seed) notes.translated('seed', "Gemini's seed has 32 bits")
  return folded
}

function logprobs({ logprobs, top_logprobs }: Asked, notes: Notes): GenerationConfig {
  if (logprobs) return { responseLogprobs: true, ...(top_logprobs && { logprobs: top_logprobs }) }
  if (top_logprobs) notes.dropped('top_logprobs', 'logprobs is not asked for')
  return {}
}

function modalities({ modalities }: Asked): string[] | undefined {
  return modalities?.length ? modalities.map((word) => word.toUpperCase()) : undefined
}

function speech({ audio }: Asked, notes: Notes): GenerationConfig['speechConfig'] {
  if (!audio) return undefined
  if (audio.format) notes.dropped('audio.format', 'Gemini speaks raw PCM only')
  const voiceName = textOf(audio.voice)
  return voiceName ? { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } : undefined
}

function image({ image_config }: Asked): GenerationConfig['imageConfig'] {
  const { aspect_ratio, image_size } = image_config ?? {}
  if (!aspect_ratio && !image_size) return undefined
  return { ...(aspect_ratio && { aspectRatio: aspect_ratio }), ...(image_size && { imageSize: image_size }) }
}

function withoutUndefined(
  config: { [Field in keyof GenerationConfig]: GenerationConfig[Field] | undefined },
): GenerationConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
}
