import { toTokens } from '../../money/billing/token-buckets.ts'
import { costOfWork } from '../../money/billing/work-price.ts'
import type { Bill } from '../../calls/order.ts'
import { unitPrice } from '../../platform/catalog/task-prices.ts'
import type { SpeechRequest } from '../../contract/audio.ts'
import { fixedCost, type WorstCase } from '../../money/limits/worst-case.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { bytesIn, tokenWorstCase } from '../../calls/upstream/bounds/token-worst-case.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'
import { codePointsIn } from '../../translation/wire/code-points.ts'

/** Slow speech: a model writes about 20 tokens of audio for a second, and says at least three characters in it. */
const AUDIO_TOKENS_PER_CHARACTER = 8
const AUDIO_TOKENS_AT_LEAST = 1_000
/** A third of the usual speed, which is 15 characters in a second: a caller may ask a model to speak slowly. */
const SLOW_AUDIO_TOKENS_PER_CHARACTER = 20 / 5
/** Words and times of a second of speech. */
const TEXT_TOKENS_PER_SECOND = 20
const AUDIO_TOKENS_PER_SECOND = 40

type Spoken = Pick<SpeechRequest, 'input' | 'instructions'>

const SPEECH = 'audio/tts'
const TRANSCRIPTION = 'audio/speech_to_text_async'

/** USD for a character that is read out; undefined if the model is paid otherwise. */
export function priceOfCharacter(target: ChatTarget): number | undefined {
  return unitPrice(target, 'character', SPEECH)
}

/** USD for a second of a recording; undefined if the model is paid otherwise. */
export function priceOfSecond(target: ChatTarget): number | undefined {
  return unitPrice(target, 'second', TRANSCRIPTION)
}

/** The most that reading a text out can cost. Models that are paid by tokens also read how they shall speak. */
export function speechWorstCase({ input: text, instructions }: Spoken, target: ChatTarget): WorstCase {
  const units = codePointsIn(text)
  const each = priceOfCharacter(target)
  if (each !== undefined) return fixedCost(costOfWork(target.entry, { units }, each))
  const output = AUDIO_TOKENS_AT_LEAST + units * AUDIO_TOKENS_PER_CHARACTER
  return tokenWorstCase(target.entry, bytesIn([text, instructions ?? '']), output)
}

/** What it costs if it is left: the characters, or the tokens of speech that is slower than usual. */
export function likelySpeechBill({ input: text, instructions }: Spoken, target: ChatTarget): Bill {
  const units = codePointsIn(text)
  const each = priceOfCharacter(target)
  if (each !== undefined) return { cost: costOfWork(target.entry, { units }, each) }
  const audio_tokens = Math.ceil(units * SLOW_AUDIO_TOKENS_PER_CHARACTER)
  const tokens = toTokens({
    prompt_tokens: Math.ceil((text.length + (instructions?.length ?? 0)) / CHARS_PER_TOKEN),
    completion_tokens: audio_tokens,
    completion_tokens_details: { audio_tokens },
  })
  return { cost: costOfWork(target.entry, { tokens }), tokens }
}

/** The most that the transcription of so many seconds can cost. Models that are paid by tokens also read the fields. */
export function transcriptionWorstCase(seconds: number, fields: object, target: ChatTarget): WorstCase {
  const each = priceOfSecond(target)
  if (each !== undefined) return fixedCost(costOfWork(target.entry, { units: seconds }, each))
  const read = bytesIn(fields) + seconds * AUDIO_TOKENS_PER_SECOND
  return tokenWorstCase(target.entry, read, seconds * TEXT_TOKENS_PER_SECOND)
}
