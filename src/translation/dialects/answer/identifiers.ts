import type { ChatChunk, ChatCompletion } from '../../../contract/chat-reply.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'

// Providers choose ids and names, which no guardrail reads. A host that writes a text there could say anything in it, so that what is
// longer, or has other characters, is not passed on.

const IDENTIFIER = /^[\w.:/+=-]{1,128}$/
/** Usage has no deeper parts. */
const MAX_DEPTH = 3

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

/** An id that is none becomes empty; the gateway sets its own. */
export function settleId(reply: ChatChunk | ChatCompletion): void {
  if (!isIdentifier(reply.id)) reply.id = ''
}

export function settleNames(reply: ChatChunk | ChatCompletion): void {
  if (reply.system_fingerprint != null && !isIdentifier(reply.system_fingerprint)) delete reply.system_fingerprint
  if (reply.service_tier != null && !isIdentifier(reply.service_tier)) delete reply.service_tier
}

/** Leaves only counts and names, and lists of objects that have nothing else. */
export function dropTexts(usage: Fields, depth = 1): void {
  for (const [name, value] of Object.entries(usage)) {
    if (isRecord(value) && isIdentifier(name) && depth < MAX_DEPTH) dropTexts(value, depth + 1)
    else if (!isIdentifier(name) || !(isCountOrName(value) || isListOfCounts(value))) delete usage[name]
  }
}

function isCountOrName(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean' || isIdentifier(value)
}

function isListOfCounts(value: unknown): boolean {
  const isOfCounts = (item: unknown) =>
    isRecord(item) && Object.entries(item).every(([name, count]) => isIdentifier(name) && isCountOrName(count))
  return Array.isArray(value) && value.every(isOfCounts)
}
