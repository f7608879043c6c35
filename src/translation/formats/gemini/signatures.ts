import type { Fields } from '../../../base/schema/record.ts'
import { textOf } from '../../../base/schema/record.ts'
import { isSealed, seal, unseal } from '../sealed-reasoning.ts'

// Reasoning of other providers travels in the field for Google's signatures. Some SDKs decode that field, so it has to be
// base64 in whatever alphabet they write it back.

export function sealSignature(details: readonly Fields[], provider: string): string {
  return Buffer.from(seal(details, provider)).toString('base64')
}

/** Whether a signature is ours, and so not from Google. */
export function isOurSignature(signature: unknown): boolean {
  return isSealed(opened(signature))
}

/** Empty if none of the providers understands it. */
export function unsealSignature(signature: unknown, providers: readonly string[]): Fields[] {
  return unseal(opened(signature), providers)
}

/** Long enough for the mark of a sealed text. */
const HEAD_CHARS = 16

function opened(signature: unknown): string {
  const text = textOf(signature)
  // Signatures of Google may be long, and are in every turn.
  if (!isSealed(decoded(text.slice(0, HEAD_CHARS)))) return ''
  return decoded(text)
}

/** Node reads both alphabets of base64. */
function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}
