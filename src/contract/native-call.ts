import type { ChatChunk, ChatCompletion } from './chat-reply.ts'

// If caller and provider use the same format, the provider's original reply or events travel along with the translation, so
// that nothing is lost. They are stored under symbols, which nobody sets by accident.

const REPLY = Symbol('the original reply')
const EVENTS = Symbol('the original events')

/** The request in a format other than ours, for a target that uses the same format. */
export type NativeAsk = {
  format: 'messages' | 'responses' | 'gemini' | 'completions'
  body: Record<string, unknown>
  headers?: Record<string, string>
  /** Hooks or files have changed what is to be sent, so the translated call has the input now. */
  isStale?: boolean
  /** Writes the original body, with these members set and those dropped. */
  write?(edit: { set: Record<string, unknown>; drop: ReadonlySet<string> }): string
  /** What no other format can express: only a target with this format can answer the request. */
  untranslatable?: readonly Untranslatable[]
  /** The request has settings of an alias that the body does not have, so the body cannot be passed on. */
  isIncomplete?: boolean
  /** Notes the parts that a target with another format does not get. */
  noteLost?(notes: DropNotes): void
}

/** A field, the type of the tool or item in it, if it has one, and why other formats do not have it, if that can be said. */
export type Untranslatable = { field: string; type?: string; reason?: string }

export type DropNotes = {
  dropped(field: string, reason: string): void
  translated(field: string, reason: string): void
}

export type NativeEvent = Record<string, unknown> & { type: string }

export function keepReply(completion: ChatCompletion, reply: Record<string, unknown>): ChatCompletion {
  return Object.assign(completion, { [REPLY]: reply })
}

export function replyIn(completion: ChatCompletion): Record<string, unknown> | undefined {
  return (completion as { [REPLY]?: Record<string, unknown> })[REPLY]
}

export function keepEvents(chunk: ChatChunk, events: readonly Record<string, unknown>[]): ChatChunk {
  return Object.assign(chunk, { [EVENTS]: events })
}

/** Undefined if the chunk was made by a translation, without an original event. */
export function eventsIn(chunk: ChatChunk): readonly NativeEvent[] | undefined {
  return (chunk as { [EVENTS]?: readonly NativeEvent[] })[EVENTS]
}

/** Like eventsIn, for the Gemini format: each of its events is a reply, without a type. */
export function repliesIn(chunk: ChatChunk): readonly Record<string, unknown>[] | undefined {
  return eventsIn(chunk)
}
