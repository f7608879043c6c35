import type { ChatRequest } from '../../contract/chat.ts'

/** The request in a format other than ours, for a target that uses the same format. */
export type NativeAsk = {
  format: 'messages' | 'responses' | 'gemini' | 'completions' | 'cohere'
  body: Record<string, unknown>
  headers?: Record<string, string>
  /**
   * Files, hooks, an alias or the number of answers have changed what is to be sent, so the translated call has the input now. The
   * body still says what no other format can express, and what gets lost.
   */
  isStale?: boolean
  /** Something may have to be kept from passing in the answer, so that none passes in the format of its provider. */
  isAnswerGuarded?: boolean
  /** Writes the original body, with these members set and those dropped. */
  write?(edit: { set: Record<string, unknown>; drop: ReadonlySet<string> }): string
  /** What no other format can express: only a target with this format can answer the request. */
  untranslatable?: readonly Untranslatable[]
  /**
   * The translated chat as a target of another format takes it. Translations keep what only some targets understand, because each
   * target is asked for itself.
   */
  fit?(request: ChatRequest, target: OtherTarget, notes: DropNotes): ChatRequest
  /**
   * Notes the parts that a target does not get, because it has another format (`other`) or the body is stale. `sent`: the
   * body without what the gateway itself does, or never sends.
   */
  noteLost?(notes: DropNotes, other: OtherTarget | undefined, sent: Record<string, unknown>): void
}

/** A target that has another format than the caller: whether it is asked through chat completions, and takes cache marks. */
export type OtherTarget = { plain: boolean; keepsMarks: boolean }

/** A field, the type of the tool or item in it, if it has one, and why other formats do not have it, if that can be said. */
export type Untranslatable = { field: string; type?: string; reason?: string }

export type DropNotes = {
  dropped(field: string, reason: string): void
  translated(field: string, reason: string): void
}
