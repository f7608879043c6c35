import type { ChatChunk, ChatCompletion } from '../../../contract/chat-reply.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { unreadable } from '../answer/unreadable-event.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// Hosts of this format omit fields or send other types. What our own format promises is set here.

/** Only the gateway says these. */
const OF_GATEWAY = ['gatehouse', 'edenai_metadata', 'provider', 'cost'] as const

/** The id, the model and the time. If the host sends none that can be used, the gateway sets its own. */
export function settleHead(reply: ChatChunk | ChatCompletion): void {
  if (typeof reply.id !== 'string') reply.id = ''
  if (typeof reply.model !== 'string') reply.model = ''
  if (!Number.isSafeInteger(reply.created)) reply.created = secondsOf(reply.created)
  if (reply.system_fingerprint != null && typeof reply.system_fingerprint !== 'string') delete reply.system_fingerprint
  if (reply.service_tier != null && typeof reply.service_tier !== 'string') delete reply.service_tier
  for (const name of OF_GATEWAY) if (name in reply) delete reply[name]
}

/** 0 if there is no time. */
function secondsOf(time: unknown): number {
  const seconds = Math.floor(toNumber(time))
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : 0
}

/** The number of a choice: its own, as a number or as text, or its place in the list. */
export function indexIn({ index }: { index?: unknown }, position: number): number {
  if (typeof index !== 'number' && (typeof index !== 'string' || index.trim() === '')) return position
  return Number.isSafeInteger(Number(index)) && Number(index) >= 0 ? Number(index) : position
}

/** Probabilities are an object. Some hosts send an empty list if there are none. */
export function settleLogprobs(choice: Fields): void {
  if (choice.logprobs != null && !isRecord(choice.logprobs)) choice.logprobs = null
}

/**
 * What a choice adds to the answer. Some hosts send the whole message in one event, or the text alone, as in the format for
 * completions. A delta of another type may have had a part of the answer.
 */
export function deltaIn({ delta, message, text }: Fields): Fields {
  if (isRecord(delta)) return delta
  if (delta != null) throw unreadable()
  if (isRecord(message)) return message
  return typeof text === 'string' ? { content: text } : {}
}
