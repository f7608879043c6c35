import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// gate_<kind>_<30 random base62 characters><6 characters of checksum>. The prefix lets secret scanners find a leaked key,
// the checksum lets a mistyped one be refused without asking the store.

export type KeyKind = 'live' | 'sandbox' | 'admin'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHAPE = /^(gate_(?:live|sandbox|admin)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

export function createKey(kind: KeyKind): string {
  const unsigned = `gate_${kind}_${randomBase62(BODY_LENGTH)}`
  return unsigned + checksum(unsigned)
}

export function isWellFormed(key: string): boolean {
  const match = SHAPE.exec(key)
  return match !== null && checksum(match[1]!) === match[2]
}

/** The whole key is digested and looked up by the whole digest: there is no prefix to compare or to time. */
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

/** Bytes of 248 and above are thrown away: 62 does not divide 256, and a remainder would favour the first letters. */
function randomBase62(length: number): string {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248 && out.length < length) out += ALPHABET[byte % 62]
  }
  return out
}
