import type { Fields } from '../../base/schema/record.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'

/** Notes about fields that reach no provider. */
export function unknownTo(fields: Readonly<Fields>, knownFields: ReadonlySet<string>, reason: string): Note[] {
  return Object.entries(fields)
    .filter(([field, value]) => value != null && !knownFields.has(field))
    .map(([field]) => ({ field, action: 'dropped', reason }))
}
