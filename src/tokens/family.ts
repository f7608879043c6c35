import type { ImageSize } from './image-size.ts'
import type { Sheet } from './sheet.ts'
import type { VocabularyName } from './vocabulary.ts'

/** Models that read alike: their vocabulary, or one that is near it, and what their makers put around a text. */
export type Family = {
  vocabulary: VocabularyName
  /** Tokens of the family for one of the vocabulary; 1 where it is the family's own. */
  factor: number
  /** Around the whole request, a message, the system prompt, a call of a tool, its result. */
  base: number
  perMessage: number
  perSystem: number
  perToolUse: number
  perToolResult: number
  tools: ToolRule
  image: ImageRule
  perPdfPage: number
}

/** What the definitions of tools add. */
export type ToolRule = (tools: readonly Tool[], choice: string, sheet: Sheet) => void
export type Tool = Record<string, unknown>
export type ImageRule = (size: ImageSize) => number
