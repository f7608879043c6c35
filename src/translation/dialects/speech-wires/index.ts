import type { SpeechCodec } from '../speech-codec.ts'
import { geminiSpeech } from './gemini.ts'
import { minimaxSpeech } from './minimax.ts'
import { openaiSpeech } from './openai.ts'

/**
 * Speech wire formats by name. The row of a provider names its format; formats of a dialect have the name of the dialect.
 */
export const SPEECH_WIRES = {
  openai: openaiSpeech,
  gemini: geminiSpeech,
  minimax: minimaxSpeech,
} satisfies Record<string, SpeechCodec>

export type SpeechWire = keyof typeof SPEECH_WIRES
