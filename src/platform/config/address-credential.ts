import { Buffer } from 'node:buffer'
import { ConfigError } from './config-error.ts'

/**
 * Secrets in an address that the operator configured. They are kept apart from the address, so that logs and errors can show
 * it.
 */
export type AddressCredential = {
  /** `Basic …`, if the address contains a user. */
  basic: string | undefined
  /** Query parameters of every request to the address. */
  query: string | undefined
  /** The single secrets, for redaction in error messages of providers. */
  secrets: readonly string[]
}

/** Splits `https://user:password@host/path?key=…` into the address and its secrets. A fragment is never sent. */
export function splitAddress(name: string, text: string): { url: string; credential?: AddressCredential } {
  const parsed = /[@?#]/.test(text) ? URL.parse(text) : null
  if (!parsed) return { url: text.replace(/(?<!\/)\/+$/, '') }
  const { username, password, search, origin, pathname } = parsed
  const url = (origin + pathname).replace(/(?<!\/)\/+$/, '')
  const query = search.slice(1) || undefined
  if (!username && !password && !query) return { url }
  const [user, word] = [decoded(name, username), decoded(name, password)]
  const basic = username || password ? `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}` : undefined
  const values = query ? [...new URLSearchParams(query).values()] : []
  const secrets = [word, ...values, query, basic?.slice('Basic '.length)].filter((one) => isSecret(one)) as string[]
  return { url, credential: { basic, query, secrets } }
}

/** For addresses with another way of authentication: users or keys in the address would be silently lost. */
export function refuseCredentials(name: string, text: string): void {
  const { username, password } = new URL(text)
  if (!username && !password) return
  throw new ConfigError(`${name}: should not contain a user name or a password; they would not be sent`)
}

/** Short words occur in many texts by coincidence. */
function isSecret(text: string | undefined): boolean {
  return text !== undefined && text.length > 3
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError(`${name}: has a user name or a password that is not encoded as in a URL`)
  }
}
