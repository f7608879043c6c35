import { anthropicBatches } from './anthropic.ts'
import type { BatchWire } from './batch-wire.ts'
import { geminiBatches } from './gemini.ts'
import { mistralBatches } from './mistral.ts'
import { openaiBatches } from './openai.ts'

export const BATCH_WIRES = {
  anthropic: anthropicBatches,
  gemini: geminiBatches,
  mistral: mistralBatches,
  openai: openaiBatches,
} satisfies Record<string, BatchWire>

export type BatchWireName = keyof typeof BATCH_WIRES
