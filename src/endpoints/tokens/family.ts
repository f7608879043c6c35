import type { ImageSize } from './image-size.ts'
import type { Sheet } from './sheet.ts'
import type { VocabularyName } from './vocabulary.ts'

/** Models that share a tokenizer: their vocabulary, or a similar one, and the tokens that their makers add around a text. */
export type Family = {
  vocabulary: VocabularyName
  /** Tokens of the family per token of the vocabulary; 1 if it is the family's own vocabulary. */
  factor: number
  /** Tokens that are added around the whole request, a message, the system prompt, a tool call and a tool result. */
  base: number
  perMessage: number
  perSystem: number
  perToolUse: number
  perToolResult: number
  tools: ToolRule
  image: ImageRule
  perPdfPage: number
}

/** The tokens of tool definitions. */
export type ToolRule = (tools: readonly Tool[], choice: string, sheet: Sheet) => void
export type Tool = Record<string, unknown>
export type ImageRule = (size: ImageSize) => number
