import type { ChatChunk, Usage } from '../contract/chat-reply.ts'
import { charsOfMessage } from '../upstream/settle.ts'
import type { SentAnswer } from './sent-answer.ts'

/** What the chunks of one target tell as they pass. */
export class StreamUsage {
  usage: Usage | undefined
  /** The model that answered, by the provider's name of it. */
  model: string | undefined
  serviceTier: string | null | undefined
  chars = 0
  chunks = 0
  /** Characters of the provider's events. */
  wireChars = 0
  /** Whether this has been added to the call. */
  isSettled = false
}

/**
 * Moves the usage out of a chunk: providers send it on one, some or all chunks; our caller gets it once, at the end, and only
 * on request. Returns false for a chunk that has no choices, which would be empty now, and which naive clients cannot read.
 */
export function tidy(chunk: ChatChunk, model: string, streamUsage: StreamUsage, sent: SentAnswer): boolean {
  streamUsage.chunks++
  if (chunk.usage) streamUsage.usage = chunk.usage
  if (chunk.service_tier) streamUsage.serviceTier = chunk.service_tier
  if (chunk.model) streamUsage.model = chunk.model
  // Like OpenAI, and unlike some of its clones: null as long as it is not known, if it was requested.
  if (sent.wantsUsage) chunk.usage = null
  else if (chunk.usage !== undefined) chunk.usage = undefined
  if (chunk.choices.length === 0) return false
  sent.head ??= chunk
  chunk.id = sent.head.id
  chunk.created = sent.head.created
  chunk.object = 'chat.completion.chunk'
  chunk.model = model
  for (const { delta } of chunk.choices) if (delta) streamUsage.chars += charsOfMessage(delta)
  sent.add(chunk)
  return true
}
