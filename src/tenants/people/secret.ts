import { hash, randomBytes } from 'node:crypto'

const BYTES = 32

/** 256 random bits for a link or a cookie. Only the digest is stored. */
export function newSecret(): { secret: string; digest: string } {
  const secret = randomBytes(BYTES).toString('base64url')
  return { secret, digest: digestOfSecret(secret) }
}

export function digestOfSecret(secret: string): string {
  return hash('sha256', secret)
}
