import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isRecord, recordsIn } from '../../base/schema/record.ts'
import { type AlgorithmName, algorithmOf } from './algorithms.ts'

const MAX_KEYS = 100
const MIN_RSA_BITS = 2_048

/** A public key of an issuer. `isGone`: the issuer does not list it any more, so what it signed is worth nothing now. */
export type IssuerKey = { kid: string | undefined; alg: AlgorithmName; key: KeyObject; text: string; isGone: boolean }

/** Reads a JWK set. Keys that we cannot use are left out; a document without a list of keys is an error. */
export function readKeySet(document: unknown): IssuerKey[] {
  if (!isRecord(document) || !Array.isArray(document.keys)) throw new Error('the document has no list of keys')
  return recordsIn(document.keys)
    .slice(0, MAX_KEYS)
    .flatMap((one) => readKey(one) ?? [])
}

function readKey(jwk: Record<string, unknown>): IssuerKey | undefined {
  const { kid, kty, crv, alg, use, key_ops: operations } = jwk
  const algorithm = algorithmOf({ kty, crv, alg })
  if (!algorithm || (use !== undefined && use !== 'sig') || (kid !== undefined && typeof kid !== 'string'))
    return undefined
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined
  const key = publicKey(jwk)
  if (!key || (key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS) return undefined
  const { n, e, x, y } = jwk
  return { kid, alg: algorithm, key, text: JSON.stringify([kid, kty, crv, n, e, x, y]), isGone: false }
}

function publicKey(jwk: Record<string, unknown>): KeyObject | undefined {
  try {
    // A private key in a public list would be a key that everybody knows; only its public members are read.
    const { kty, crv, n, e, x, y } = jwk
    return createPublicKey({ key: { kty, crv, n, e, x, y } as JsonWebKey, format: 'jwk' })
  } catch {
    return undefined
  }
}
