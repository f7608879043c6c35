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

/** Leaves only counts and names. */
export function dropTexts(usage: Fields, depth = 1): void {
  for (const [name, value] of Object.entries(usage)) {
    const parts = partsOf(value)
    const isKept = isIdentifier(name) && (parts ? depth < MAX_DEPTH : isCountOrName(value))
    if (!isKept) delete usage[name]
    else for (const part of parts ?? []) dropTexts(part, depth + 1)
  }
}

/** Undefined if it is neither an object nor a list of objects. */
function partsOf(value: unknown): readonly Fields[] | undefined {
  if (isRecord(value)) return [value]
  return Array.isArray(value) && value.every(isRecord) ? value : undefined
}

function isCountOrName(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean' || isIdentifier(value)
}
