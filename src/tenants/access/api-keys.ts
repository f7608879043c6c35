import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// A key is gate_<kind>_<30 random base62 characters><6 characters of checksum>. With the prefix, secret scanners can find a
// leaked key; with the checksum, a mistyped key is refused without a database query.

/** `session`: the access token of a coding agent that a person has signed in with. */
export type KeyKind = 'live' | 'sandbox' | 'admin' | 'session'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const OWN_PREFIX = 'gate_'
const BODY_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHAPE = /^(gate_(?:live|sandbox|admin|session)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

export function createKey(kind: KeyKind): string {
  const unsigned = `${OWN_PREFIX}${kind}_${randomBase62(BODY_LENGTH)}`
  return unsigned + checksum(unsigned)
}

export function isWellFormed(key: string): boolean {
  const match = SHAPE.exec(key)
  return match !== null && checksum(match[1]!) === match[2]
}

/**
 * Whether a key may have been made by another gateway, whose keys were imported. It has no checksum that we know of. A key that
 * begins like ours and is not well formed is a mistyped one of ours.
 */
export function isForeign(key: string): boolean {
  return !key.startsWith(OWN_PREFIX)
}

/** A key is looked up by the digest of the whole key, so there is no comparison whose time could leak anything. */
export function digestOf(key: string): string {
  return hash('sha256', key)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = ALPHABET[rest % 62]! + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/** Bytes of 248 and above are discarded: 62 does not divide 256, and the remainder would favour the first characters. */
function randomBase62(length: number): string {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248 && out.length < length) out += ALPHABET[byte % 62]
  }
  return out
}
