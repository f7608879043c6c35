import type { ChatChunk, ChatCompletion } from './chat-reply.ts'

// Where the caller and the provider speak the same format, the provider's own words ride along with the translation, so
// that nothing of them is lost. They ride under symbols: nobody writes them by accident.

const REPLY = Symbol('the reply in its own words')
const EVENTS = Symbol('the events in their own words')

/** What was asked, in the words of a format that is not ours, for a target that speaks it. */
export type NativeAsk = {
  format: 'messages' | 'responses'
  body: Record<string, unknown>
  headers?: Record<string, string>
  /** The body as it was written, with these members set and those left out. */
  write?(edit: { set: Record<string, unknown>; drop: ReadonlySet<string> }): string
  /** Fields that no other format can say: only a target that speaks this one can be asked. */
  unsayable?: readonly string[]
}

export type NativeEvent = Record<string, unknown> & { type: string }

export function keepReply(completion: ChatCompletion, reply: Record<string, unknown>): ChatCompletion {
  return Object.assign(completion, { [REPLY]: reply })
}

export function replyIn(completion: ChatCompletion): Record<string, unknown> | undefined {
  return (completion as { [REPLY]?: Record<string, unknown> })[REPLY]
}

export function keepEvents(chunk: ChatChunk, events: readonly NativeEvent[]): ChatChunk {
  return Object.assign(chunk, { [EVENTS]: events })
}

/** Undefined: the chunk was made by a translation, and is all there is. */
export function eventsIn(chunk: ChatChunk): readonly NativeEvent[] | undefined {
  return (chunk as { [EVENTS]?: readonly NativeEvent[] })[EVENTS]
}
