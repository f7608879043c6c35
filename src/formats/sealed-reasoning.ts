import { tryParse } from '../json/try-parse.ts'
import { type Fields, isRecord, recordsIn } from '../schema/record.ts'

// Thoughts that a model wants back unchanged have no field of their own in this format where they are not signed text. They
// travel sealed, as the signature of a thought or as a hidden one, and only go back to the provider that they came from.

const MARK = 'gatehouse.'

export function seal(details: readonly unknown[], provider: string): string {
  return `${MARK}${provider}.${Buffer.from(JSON.stringify(details)).toString('base64url')}`
}

export function isSealed(signature: unknown): boolean {
  return typeof signature === 'string' && signature.startsWith(MARK)
}

/** Nothing, where the seal is another provider's or was broken. */
export function unseal(signature: unknown, providers: readonly string[]): Fields[] {
  if (typeof signature !== 'string' || !isSealed(signature)) return []
  const [, provider = '', packed = ''] = /^gatehouse\.(.*)\.([\w-]*)$/s.exec(signature) ?? []
  if (!providers.includes(provider)) return []
  return recordsIn(tryParse(Buffer.from(packed, 'base64url').toString('utf8')))
}

/** Signed by Anthropic itself: these are this format's own. */
export function isOwnReasoning(detail: unknown): detail is Fields {
  return isRecord(detail) && typeof detail.type === 'string' && detail.type.startsWith('anthropic.')
}
