import type { ThinkingField } from '../model-traits.ts'

/** `<think>…</think>` and similar tags. */
export type ReasoningTag = (typeof REASONING_TAGS)[number]

export const REASONING_TAGS = ['think', 'thought', 'reasoning'] as const

/**
 * How an address with the OpenAI wire format differs from OpenAI itself: facts of its row. If absent, the cautious choice
 * is made.
 */
export type Compat = {
  /** It supports the role `developer`; others get `system`. */
  developer?: boolean
  /** It refuses names of speakers. */
  nameless?: boolean
  /** It accepts `cache_control` unchanged. */
  cacheMarks?: boolean
  /**
   * Reasoning of earlier turns is refused, has another name, or is required beside calls. Absent means that it is sent
   * unchanged.
   */
  reasoning?: 'refused' | 'as reasoning' | 'demanded'
  /** Its models write their reasoning at the beginning of their answers, between these tags. */
  reasoningTag?: ReasoningTag
  /** It sends `reasoning_details`, `annotations` and `images`, and accepts them back. */
  details?: boolean
  /** It accepts the members of OpenAI's own answers back: `refusal`, `annotations` and nulls. */
  ownAnswers?: boolean
  /** Google's signatures are in `extra_content` of calls, and are required there. */
  signedCalls?: boolean
  /** After the instructions, the user and the assistant have to alternate. */
  alternates?: boolean
  /** The field that controls thinking, if it is not `reasoning_effort`. The traits of a model override it. */
  thinking?: ThinkingField
  /** Mistral's format of files, audio and call ids, without unknown fields in messages. */
  mistral?: boolean
  /**
   * Its streams end without a finish reason: all of them, or only those that call tools. Elsewhere such an end is a break.
   * The Anthropic wire format has this too.
   */
  endsWithoutReason?: 'always' | 'calls'
  /** The URLs and field names of watsonx. */
  watsonx?: boolean
}
