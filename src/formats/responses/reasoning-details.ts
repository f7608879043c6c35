import { type Fields, isRecord, recordsIn, textOf } from '../../schema/record.ts'

// Encrypted reasoning of a provider of this format, as a chat message carries it: the provider wants it back in the next turn.

const TYPE = 'responses.reasoning'

/** Nothing if the item has no encrypted reasoning. */
export function reasoningDetails({ type, encrypted_content, summary }: Fields): Fields[] {
  if (type !== 'reasoning' || !textOf(encrypted_content)) return []
  return [{ type: TYPE, summary: recordsIn(summary), encrypted_content }]
}

export function isReasoningDetail(detail: unknown): detail is Fields {
  return isRecord(detail) && detail.type === TYPE
}

export function reasoningItemOf({ summary, encrypted_content }: Fields): Fields {
  return { type: 'reasoning', summary: recordsIn(summary), encrypted_content }
}
