import type { ModelTraits } from '../model-traits.ts'
import type { Notes } from '../notes.ts'
import type { PastCalls } from '../request/past-calls.ts'

/** What the parts of a conversation need to know, and what they leave behind. */
export type Encoding = {
  traits: ModelTraits | undefined
  notes: Notes
  /** Names for the header `anthropic-beta`. */
  betas: Set<string>
  /** Thoughts of earlier turns go along. */
  takesReasoning: boolean
  calls: PastCalls
}
