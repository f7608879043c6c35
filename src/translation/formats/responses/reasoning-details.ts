import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { seal } from '../sealed-reasoning.ts'

// Encrypted reasoning of a provider of this format, as a chat message carries it: the provider wants it back in the next turn.

const TYPE = 'responses.reasoning'

/** Nothing if the item has no encrypted reasoning. `provider` is the only one that can read it. */
export function reasoningDetails({ type, encrypted_content, summary }: Fields, provider?: string): Fields[] {
  if (type !== 'reasoning' || !textOf(encrypted_content)) return []
  return [{ type: TYPE, ...(provider && { provider }), summary: recordsIn(summary), encrypted_content }]
}

/** The item as its caller gets it: what it encrypts comes back to this provider only. */
export function sealedItem(item: Fields, provider: string): Fields {
  const details = provider ? reasoningDetails(item, provider) : []
  return details.length > 0 ? { ...item, encrypted_content: seal(details, provider) } : item
}

/** Whether the detail is reasoning that this provider encrypted. */
export function isReasoningOf(detail: unknown, provider: string): detail is Fields {
  return isRecord(detail) && detail.type === TYPE && (detail.provider === undefined || detail.provider === provider)
}

export function reasoningItemOf({ summary, encrypted_content }: Fields): Fields {
  return { type: 'reasoning', summary: recordsIn(summary), encrypted_content }
}
