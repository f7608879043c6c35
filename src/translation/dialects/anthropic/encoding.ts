import type { ModelTraits } from '../model-traits.ts'
import type { Notes } from '../notes.ts'
import type { PastCalls } from '../request/past-calls.ts'

/** What the encoders of the parts of a conversation read and collect. */
export type Encoding = {
  traits: ModelTraits | undefined
  notes: Notes
  /** Values of the header `anthropic-beta`. */
  betas: Set<string>
  /** Whether the reasoning of earlier turns is sent along. */
  takesReasoning: boolean
  calls: PastCalls
}
