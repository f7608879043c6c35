import type { SpeechCodec } from '../speech-codec.ts'
import { geminiSpeech } from './gemini.ts'
import { minimaxSpeech } from './minimax.ts'
import { openaiSpeech } from './openai.ts'

/** Wires that speak, by the name that a provider's row picks its own with; those of a dialect by its name. */
export const SPEECH_WIRES = {
  openai: openaiSpeech,
  gemini: geminiSpeech,
  minimax: minimaxSpeech,
} satisfies Record<string, SpeechCodec>

export type SpeechWire = keyof typeof SPEECH_WIRES
