import { knownCost } from '../../calls/call.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { usageOf } from '../../calls/upstream/chat-bill.ts'
import type { SentAnswer } from './sent-answer.ts'
import type { StreamPart } from './stream-part.ts'

/** The last chunk of a stream whose caller wants the usage. */
export function usageChunk({ attempt: { target, call }, streamUsage }: StreamPart, { head }: SentAnswer): ChatChunk {
  const { id, created, system_fingerprint } = head!
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model: target.id,
    ...(system_fingerprint && { system_fingerprint }),
    choices: [],
    usage: usageOf(call.spending, streamUsage.usage),
    cost: knownCost(call),
    provider: target.provider.id,
  }
}
