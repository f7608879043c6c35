import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'

// The key of the second signature, which covers the time of an attempt. It is derived from the RSA key: machines that share
// that file (on one database, or from a restored backup) agree on both keys, and a new RSA key brings a new timestamp key.

const PURPOSE = 'gatehouse webhook timestamp signature, ed25519, version 1'
const SEED_BYTES = 32
/** The bytes before the seed of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex')
/** Standard Webhooks gives public keys this prefix. */
const PUBLIC_KEY_PREFIX = 'whpk_'

/** The Ed25519 key that belongs to an RSA key: HKDF-SHA256 over the RSA key in PKCS #8 DER. */
export function timestampKeyOf(signingKey: KeyObject): KeyObject {
  const secret = signingKey.export({ type: 'pkcs8', format: 'der' })
  const seed = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), PURPOSE, SEED_BYTES))
  return createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), type: 'pkcs8', format: 'der' })
}

export type TimestampPublicKey = { standard: string; pem: string }

/** The public key: `whpk_` with the base64 of its 32 bytes, and as PEM. */
export function timestampPublicKey(signingKey: KeyObject): TimestampPublicKey {
  const publicKey = createPublicKey(timestampKeyOf(signingKey))
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-SEED_BYTES)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { standard: PUBLIC_KEY_PREFIX + raw.toString('base64'), pem }
}
