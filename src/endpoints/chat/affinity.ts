import type { ChatRequest, Message } from '../../contract/chat.ts'
import { isRecord } from '../../base/schema/record.ts'

/** What comes later does not make two conversations different often enough to be read. */
const MAX_CHARS = 2_000
const MAX_MESSAGES = 16
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * A number that all requests of one conversation of an owner have in common, so that they go to the same target and credential:
 * providers keep the beginning of a conversation in a cache, and only for one account. It is computed when it is first needed,
 * which is only if there are several targets or credentials.
 */
export function affinityOf(request: ChatRequest, owner: string, session: string | null): () => number {
  let cached: number | undefined
  return () => (cached ??= numberOf(request, owner, session))
}

/** A caller can name the session. Otherwise the conversation is known by its beginning, up to the first message of the user. */
function numberOf({ messages }: ChatRequest, owner: string, session: string | null) {
  const hash = addText(FNV_OFFSET, owner)
  if (session !== null) return addText(hash, session)
  const first = messages.findIndex(({ role }) => role === 'user')
  const beginning = messages.slice(0, first < 0 ? 1 : first + 1)
  return beginning.slice(-MAX_MESSAGES).reduce(addMessage, hash)
}

function addMessage(hash: number, { role, content }: Message): number {
  const marked = addText(hash, role)
  if (typeof content === 'string') return addText(marked, content)
  if (!Array.isArray(content)) return marked
  return content.slice(0, MAX_MESSAGES).reduce((sum: number, part: unknown) => addText(sum, textOfPart(part)), marked)
}

/** The text of a part, or the address or bytes of its image or file. */
function textOfPart(part: unknown): string {
  if (!isRecord(part)) return ''
  if (typeof part.text === 'string') return part.text
  const inner = Object.values(part).find(isRecord) ?? {}
  return String(Object.values(inner).find((value) => typeof value === 'string') ?? part.type)
}

/** FNV-1a: short texts that differ in one character get very different numbers. */
function addText(hash: number, text: string): number {
  let sum = hash
  const end = Math.min(text.length, MAX_CHARS)
  for (let at = 0; at < end; at++) sum = Math.imul(sum ^ text.charCodeAt(at), FNV_PRIME)
  return (sum ^ text.length) >>> 0
}
