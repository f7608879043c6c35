import type { ChatRequest } from '../../../contract/chat.ts'
import type { Notes } from '../notes.ts'
import { writeMember } from '../../json/written-numbers.ts'

const MAX_PAIRS = 16
const MAX_NAME_CHARS = 64
const MAX_VALUE_CHARS = 512

/** OpenAI accepts a few short texts. Undefined if the metadata already consists of such texts. */
export function shortMetadata(metadata: NonNullable<ChatRequest['metadata']>, notes: Notes) {
  const pairs = Object.entries(metadata)
  if (pairs.length <= MAX_PAIRS && pairs.every(isShort)) return undefined
  const texts = pairs.map(
    ([name, value]) => [name, typeof value === 'string' ? value : writeMember(metadata, name)] as const,
  )
  const allowed = texts.filter(isShort).slice(0, MAX_PAIRS)
  if (allowed.length < pairs.length)
    notes.dropped('metadata', `in part: this wire format accepts ${MAX_PAIRS} pairs of short text`)
  else notes.translated('metadata', 'this wire format accepts texts only')
  return Object.fromEntries(allowed)
}

function isShort([name, value]: readonly [string, unknown]): boolean {
  return name.length <= MAX_NAME_CHARS && typeof value === 'string' && value.length <= MAX_VALUE_CHARS
}
