import { Buffer } from 'node:buffer'
import { ConfigError } from './config-error.ts'

/**
 * Secrets that the operator wrote into an address. They are kept apart from it, so that whoever shows the address, or quotes
 * it in an error, shows none of them.
 */
export type AddressCredential = {
  /** `Basic …`, where the address names a user. */
  basic: string | undefined
  /** What every request to the address has in its query. */
  query: string | undefined
  /** The parts, to be kept out of what providers say. */
  secrets: readonly string[]
}

/** `https://user:password@host/path?key=…` as the address alone, and what else it says. A fragment is never sent. */
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

/** For addresses whose proof goes another way: whatever they say of users or keys would be lost without a word. */
export function refuseCredentials(name: string, text: string): void {
  const { username, password } = new URL(text)
  if (!username && !password) return
  throw new ConfigError(`${name}: should not hold a user name or a password; they would not be sent`)
}

/** Short words stand in many texts by chance. */
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
