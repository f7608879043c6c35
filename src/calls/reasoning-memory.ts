import type { ChatRequest, Message } from '../contract/chat.ts'
import { unpackContent } from '../translation/dialects/packed-content.ts'
import { ExpiringMap } from '../base/fairness/expiring-map.ts'
import { MINUTE_MS } from '../base/units/units.ts'

// Some reasoning models sign their reasoning and want it back, unchanged, with the results of the tools that they called.
// Many clients drop fields that they do not know. For these, signed reasoning is kept for a while, by the id of the tool call.

const KEEP_MS = 30 * MINUTE_MS
const MAX_ENTRIES = 5_000
export const MAX_DETAILS_CHARS = 64 * 1024
const BYTES_PER_CHAR = 2
const ENTRY_BYTES = 500

type ReasoningEntry = { details: Record<string, unknown>[]; bytes: number }

export class ReasoningMemory {
  /** By owner, because providers choose the ids of tool calls, and two of them may choose the same id. */
  readonly #details: ExpiringMap<ReasoningEntry>

  constructor(monotonic: () => number, maxBytes = MAX_ENTRIES * MAX_DETAILS_CHARS) {
    this.#details = new ExpiringMap(MAX_ENTRIES, monotonic, { max: maxBytes, of: ({ bytes }) => bytes })
  }

  get size(): number {
    return this.#details.size
  }

  /** `details` are signed reasoning and what the provider did by itself, in one list. */
  keep(owner: string, callIds: readonly string[], details: Record<string, unknown>[]): void {
    if (callIds.length === 0 || details.length === 0) return
    const { length } = JSON.stringify(details)
    if (length > MAX_DETAILS_CHARS) return
    // An entry may be the last one that is left of several, so each counts as if it had the details for itself.
    const entry = { details, bytes: ENTRY_BYTES + BYTES_PER_CHAR * length }
    for (const id of callIds) this.#details.set(owner, id, entry, KEEP_MS)
  }

  /** Adds the reasoning that the client dropped. Returns the same request if there is nothing to add. */
  recall(owner: string, request: ChatRequest): ChatRequest {
    if (this.#details.size === 0) return request
    const messages = request.messages.map((message) => this.#completed(owner, message))
    return messages.some((message, at) => message !== request.messages[at]) ? { ...request, messages } : request
  }

  #completed(owner: string, message: Message): Message {
    const isComplete = 'reasoning_details' in message || 'provider_content' in message
    if (message.role !== 'assistant' || isComplete) return message
    const id = callIdsOf(message.tool_calls)[0]
    const entry = id === undefined ? undefined : this.#details.get(owner, id)
    return entry ? Object.assign({ ...message }, unpackContent(entry.details)) : message
  }
}

export function callIdsOf(calls: unknown): string[] {
  if (!Array.isArray(calls)) return []
  return calls.flatMap((call) => (typeof call?.id === 'string' && call.id ? [call.id] : []))
}
