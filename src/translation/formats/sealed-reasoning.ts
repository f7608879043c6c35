import { tryParse } from '../json/try-parse.ts'
import { type Fields, isRecord, recordsIn } from '../../base/schema/record.ts'

// Models may require their reasoning back unchanged. This format has a field for signed text only, so all other reasoning
// travels encoded, as the signature of a reasoning block or as a redacted block, and goes back only to the provider that it
// came from.

const MARK = 'gatehouse.'

export function seal(details: readonly unknown[], provider: string): string {
  return `${MARK}${provider}.${Buffer.from(JSON.stringify(details)).toString('base64url')}`
}

export function isSealed(signature: unknown): boolean {
  return typeof signature === 'string' && signature.startsWith(MARK)
}

/** Returns nothing if the text is from another provider or damaged. */
export function unseal(signature: unknown, providers: readonly string[]): Fields[] {
  if (typeof signature !== 'string' || !isSealed(signature)) return []
  const [, provider = '', packed = ''] = /^gatehouse\.(.*)\.([\w-]*)$/s.exec(signature) ?? []
  if (!providers.includes(provider)) return []
  return recordsIn(tryParse(Buffer.from(packed, 'base64url').toString('utf8')))
}

/** Reasoning that Anthropic signed is native to this format. */
export function isOwnReasoning(detail: unknown): detail is Fields {
  return isRecord(detail) && typeof detail.type === 'string' && detail.type.startsWith('anthropic.')
}
