import { readPublicKey } from '../catalog/signed-catalog.ts'
import { ConfigError, text } from './config-error.ts'

/** Signed addresses have a query, which is not shown. A user name would not be sent. */
export function catalogAddress(value: unknown): string {
  const { protocol = '', username, password } = URL.parse(text(value)) ?? {}
  if (/^https?:$/.test(protocol) && !username && !password) return text(value)
  throw new ConfigError('should be an http:// or https:// address without a user name')
}

/** Several keys, so that one can replace the other. */
export function publicKeys(value: unknown): readonly string[] {
  const keys = Array.isArray(value) ? value.map(text) : text(value).split(',')
  return keys.map((key) => {
    try {
      readPublicKey(key.trim())
      return key.trim()
    } catch {
      throw new ConfigError('should be an Ed25519 public key: 32 bytes in base64, or PEM')
    }
  })
}
