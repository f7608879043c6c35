import type { ChatRequest, Message } from '../contract/chat.ts'

// Models that think sign their thoughts and want them back, unchanged, with the results of the tools they called. Many
// clients drop what they do not know. For those the signed thoughts are kept for a while, by the id of the call.

const KEEP_MS = 30 * 60_000
const MAX_ENTRIES = 5_000
const MAX_CHARS = 64 * 1024

type Kept = { details: unknown[]; until: number }

export class ReasoningMemory {
  readonly #now: () => number
  /** By owner, then by the id of the call; the oldest stand at the front. */
  readonly #kept = new Map<string, Map<string, Kept>>()
  #size = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get size(): number {
    return this.#size
  }

  /** Keyed by the owner too: ids of calls are the providers' to choose, and two may choose the same. */
  keep(owner: string, callIds: readonly string[], details: unknown[]): void {
    if (callIds.length === 0 || details.length === 0 || JSON.stringify(details).length > MAX_CHARS) return
    const kept = { details, until: this.#now() + KEEP_MS }
    for (const id of callIds) this.#set(owner, id, kept)
  }

  /** Those that are used again move to the end. */
  #set(owner: string, id: string, kept: Kept): void {
    this.#forget(owner, id)
    if (this.#size >= MAX_ENTRIES) this.#forgetOldest()
    const own = this.#kept.get(owner) ?? new Map<string, Kept>()
    this.#kept.set(owner, own.set(id, kept))
    this.#size++
  }

  /** Of the owner that has most: whoever keeps much does not make others forget. */
  #forgetOldest(): void {
    let most: [string, Map<string, Kept>] | undefined
    for (const one of this.#kept) if (!most || one[1].size > most[1].size) most = one
    if (most) this.#forget(most[0], most[1].keys().next().value!)
  }

  #forget(owner: string, id: string): void {
    const own = this.#kept.get(owner)
    if (!own?.delete(id)) return
    this.#size--
    if (own.size === 0) this.#kept.delete(owner)
  }

  /** The request with the thoughts that its client dropped; the same request when there is nothing to add. */
  recall(owner: string, request: ChatRequest): ChatRequest {
    if (!this.#kept.has(owner)) return request
    const messages = request.messages.map((message) => this.#completed(owner, message))
    return messages.some((message, at) => message !== request.messages[at]) ? { ...request, messages } : request
  }

  #completed(owner: string, message: Message): Message {
    if (message.role !== 'assistant' || 'reasoning_details' in message) return message
    const id = callIdsOf(message.tool_calls)[0]
    const kept = id === undefined ? undefined : this.#kept.get(owner)?.get(id)
    return kept && kept.until > this.#now()
      ? Object.assign({ ...message }, { reasoning_details: kept.details })
      : message
  }
}

export function callIdsOf(calls: unknown): string[] {
  if (!Array.isArray(calls)) return []
  return calls.flatMap((call) => (typeof call?.id === 'string' && call.id ? [call.id] : []))
}
