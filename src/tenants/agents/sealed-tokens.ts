import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// Two terminals share one stored credential. The one that renews second sends a token that was used a moment ago, and gets the same
// pair of tokens as the first one. The pair is stored for it, encrypted with a key that is made of the used token: the store has only
// the digest of that token, and so cannot open the pair.

const CIPHER = 'aes-256-gcm'
const PURPOSE = 'gatehouse: the tokens that follow a refresh token'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type TokenPair = { access: string; refresh: string; accessExpiresAt: number }

export function sealTokens(pair: TokenPair, usedToken: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(usedToken), nonce)
  const text = Buffer.concat([cipher.update(JSON.stringify(pair), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
}

/** Throws if it was sealed with another token. */
export function openTokens(sealed: string, usedToken: string): TokenPair {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(CIPHER, keyOf(usedToken), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString('utf8')) as TokenPair
}

function keyOf(token: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, '', PURPOSE, KEY_BYTES))
}
