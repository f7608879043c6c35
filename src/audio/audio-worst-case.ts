import { costOf, toTokens } from '../billing/token-buckets.ts'
import type { LikelyBill } from '../calls/call-spending.ts'
import { taskPrice } from '../catalog/task-prices.ts'
import type { SpeechRequest } from '../contract/audio.ts'
import { fixedCost, type WorstCase } from '../limits/worst-case.ts'
import type { ChatTarget } from '../routing/route.ts'
import { bytesIn, tokenWorstCase } from '../upstream/bounds/token-worst-case.ts'
import { CHARS_PER_TOKEN } from '../wire/chars-per-token.ts'
import { codePointsIn } from '../wire/code-points.ts'

/** Slow speech: a model writes about 20 tokens of audio for a second, and says at least three characters in it. */
const AUDIO_TOKENS_PER_CHARACTER = 8
const AUDIO_TOKENS_AT_LEAST = 1_000
/** Usual speech: 15 characters in a second. */
const USUAL_AUDIO_TOKENS_PER_CHARACTER = 20 / 15
/** Words and times of a second of speech. */
const TEXT_TOKENS_PER_SECOND = 20
const AUDIO_TOKENS_PER_SECOND = 40

type Spoken = Pick<SpeechRequest, 'input' | 'instructions'>

/** The most that reading a text out can cost. Models that are paid by tokens also read how they shall speak. */
export function speechWorstCase({ input: text, instructions }: Spoken, target: ChatTarget): WorstCase {
  const characters = codePointsIn(text)
  const each = priceOfCharacter(target)
  if (each !== undefined) return fixedCost(each * characters)
  const output = AUDIO_TOKENS_AT_LEAST + characters * AUDIO_TOKENS_PER_CHARACTER
  return tokenWorstCase(target.entry, bytesIn([text, instructions ?? '']), output)
}

/** What it most likely costs: the characters, or the tokens of usual speech. */
export function likelySpeechBill({ input: text, instructions }: Spoken, target: ChatTarget): LikelyBill {
  const characters = codePointsIn(text)
  const each = priceOfCharacter(target)
  if (each !== undefined) return { cost: each * characters }
  const audio_tokens = Math.ceil(characters * USUAL_AUDIO_TOKENS_PER_CHARACTER)
  const tokens = toTokens({
    prompt_tokens: Math.ceil((text.length + (instructions?.length ?? 0)) / CHARS_PER_TOKEN),
    completion_tokens: audio_tokens,
    completion_tokens_details: { audio_tokens },
  })
  return { cost: costOf(tokens, target.entry?.price), tokens }
}

function priceOfCharacter({ entry, provider, model }: ChatTarget): number | undefined {
  const price = taskPrice('audio/tts', provider.id, model)
  return entry?.per?.character ?? (price && price.unit === 'character' ? price.price / price.per : undefined)
}

/** The most that the transcription of so many seconds can cost. Models that are paid by tokens also read the fields. */
export function transcriptionWorstCase(seconds: number, fields: object, target: ChatTarget): WorstCase {
  const { entry, provider, model } = target
  const price = taskPrice('audio/speech_to_text_async', provider.id, model)
  const each = price ? price.price / price.per : entry?.per?.second
  if (each !== undefined) return fixedCost(each * seconds)
  const read = bytesIn(fields) + seconds * AUDIO_TOKENS_PER_SECOND
  return tokenWorstCase(entry, read, seconds * TEXT_TOKENS_PER_SECOND)
}
