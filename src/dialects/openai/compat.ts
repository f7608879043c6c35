import type { ThinkingField } from '../model-traits.ts'

/** `<think>…</think>` and its like. */
export type ReasoningTag = (typeof REASONING_TAGS)[number]

export const REASONING_TAGS = ['think', 'thought', 'reasoning'] as const

/** What an address of the OpenAI wire wants otherwise than the wire's own maker: facts of its row. Absent: it is careful. */
export type Compat = {
  /** It knows the role `developer`; others are told `system`. */
  developer?: boolean
  /** It refuses the names of speakers. */
  nameless?: boolean
  /** It takes `cache_control` as it stands. */
  cacheMarks?: boolean
  /** Thoughts of earlier turns are refused, go by another name, or are demanded beside calls. Absent: as they are. */
  reasoning?: 'refused' | 'as reasoning' | 'demanded'
  /** Its models think aloud at the beginning of their answers, between such tags. */
  reasoningTag?: ReasoningTag
  /** It gives `reasoning_details` and takes them back. */
  details?: boolean
  /** What it is told to think with, where that is not `reasoning_effort`; the traits of a model know better. */
  thinking?: ThinkingField
  /** Files, sounds and ids of calls as Mistral wants them, and nothing in a message that it does not know. */
  mistral?: boolean
  /** The addresses and the names of watsonx. */
  watsonx?: boolean
}
