import type { ChatChunk, Usage } from '../../contract/chat-reply.ts'
import { mostTokensPerUnit, TextMeter } from '../../calls/routing/router/text-meter.ts'
import type { SeenOutput } from '../../calls/upstream/abandoned-chat.ts'
import { charsOfMessage } from '../../calls/upstream/chat-bill.ts'
import { settleNames } from '../../translation/dialects/answer/identifiers.ts'
import type { SentAnswer } from './sent-answer.ts'

/** A read that took this long has waited for the provider. */
const WAITED_MS = 2

/** What the chunks of one target tell as they pass. */
export class StreamUsage {
  usage: Usage | undefined
  /** The model that answered, by the provider's name of it. */
  model: string | undefined
  serviceTier: string | null | undefined
  chars = 0
  chunks = 0
  /** How many answers the chunks are of. */
  answers = 1
  /** Of the same texts, with rather too many tokens: for an answer that does not come to its end. */
  readonly meter = new TextMeter(mostTokensPerUnit)
  /** On the monotonic clock: until then, everything that the provider had sent was read. */
  readUntil: number
  /** Characters of the provider's events. */
  wireChars = 0

  /** A stream has begun, and its first chunks are here. */
  constructor(begunAt = 0) {
    this.readUntil = begunAt
  }

  /** A slow reader leaves events unread that the provider has sent, and bills. After a read that had to wait, there are none. */
  noteRead(askedAt: number, now: number): void {
    if (now - askedAt >= WAITED_MS) this.readUntil = now
  }

  add({ usage, service_tier, model, choices }: ChatChunk): void {
    this.chunks++
    if (usage) this.usage = usage
    if (service_tier) this.serviceTier = service_tier
    if (model) this.model = model
    for (const { delta, index } of choices) {
      if (delta) this.chars += charsOfMessage(delta, this.meter)
      if (index >= this.answers) this.answers = index + 1
    }
  }

  /** What was seen so far. Many providers send a chunk for each token. */
  get seen(): SeenOutput | undefined {
    return this.chunks === 0 ? undefined : { tokens: Math.max(this.chunks, this.meter.tokens), until: this.readUntil }
  }
}

/**
 * Moves the usage out of a chunk: providers send it on one, some or all chunks; our caller gets it once, at the end, and only
 * on request. Returns false for a chunk that has no choices, which would be empty now, and which naive clients cannot read.
 */
export function tidy(chunk: ChatChunk, model: string, streamUsage: StreamUsage, sent: SentAnswer): boolean {
  streamUsage.add(chunk)
  settleNames(chunk)
  // Like OpenAI, and unlike some of its clones: null as long as it is not known, if it was requested.
  if (sent.wantsUsage) chunk.usage = null
  else if (chunk.usage !== undefined) chunk.usage = undefined
  if (chunk.choices.length === 0) return false
  sent.head ??= chunk
  chunk.id = sent.head.id
  chunk.created = sent.head.created
  chunk.object = 'chat.completion.chunk'
  chunk.model = model
  sent.add(chunk)
  return true
}
