import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// Encrypts what the store keeps secret, with AES-256-GCM. The name of a secret is authenticated with it, so that an attacker
// who can write to the database cannot pass one secret off as another.

const VERSION = 'v1.'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FINGERPRINT_BYTES = 8

/** The fingerprint identifies the key and reveals nothing about it. */
export type EncryptionKey = { fingerprint: string; bytes: Buffer }

export function encryptionKey(text: string): EncryptionKey {
  return {
    fingerprint: derived(text, 'fingerprint', FINGERPRINT_BYTES).toString('hex'),
    bytes: derived(text, 'aes-256-gcm', KEY_BYTES),
  }
}

export function newKeyText(): string {
  return randomBytes(KEY_BYTES).toString('base64url')
}

export function seal({ bytes }: EncryptionKey, name: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(name))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return VERSION + sealed.toString('base64url')
}

/** Returns undefined if this key did not seal the text under this name. */
export function unseal({ bytes }: EncryptionKey, name: string, sealed: string): string | undefined {
  const parts = Buffer.from(sealed.slice(VERSION.length), 'base64url')
  if (!sealed.startsWith(VERSION) || parts.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', bytes, parts.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(name))
  decipher.setAuthTag(parts.subarray(-TAG_BYTES))
  try {
    return decipher.update(parts.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

function derived(text: string, purpose: string, length: number): Buffer {
  return Buffer.from(
    hkdfSync('sha256', text, Buffer.alloc(0), `gatehouse encryption key, ${purpose}, version 1`, length),
  )
}
