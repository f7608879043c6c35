import { createSign } from 'node:crypto'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { Send } from '../contract/wire.ts'
import { readText } from './read-text.ts'

// https://developers.google.com/identity/protocols/oauth2/service-account: a signed statement is exchanged for a token
// that is good for an hour.

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const LIFETIME_SECONDS = 3_600
/** Fetched anew this long before it runs out, so that no call starts with a token that ends on the way. */
const SPARE_MS = 120_000
const LIMITS = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000 }
const MAX_BYTES = 64 * 1024

type Account = { clientEmail: string; privateKey: string; tokenUrl: string }
type Token = { value: Promise<string>; until: number }

/** Access tokens of service accounts; there are as many as the operator configured, and each is fetched once an hour. */
export class GoogleTokens {
  readonly #send: Send
  readonly #now: () => number
  readonly #tokens = new Map<string, Token>()

  constructor(send: Send, now: () => number) {
    this.#send = send
    this.#now = now
  }

  /** All who come while one is being fetched wait for the same. */
  tokenFor(account: Account): Promise<string> {
    const known = this.#tokens.get(account.clientEmail)
    if (known && known.until > this.#now()) return known.value
    const value = this.#exchange(account)
    this.#tokens.set(account.clientEmail, { value, until: this.#now() + LIFETIME_SECONDS * 1_000 - SPARE_MS })
    value.catch(() => this.#tokens.delete(account.clientEmail))
    return value
  }

  async #exchange(account: Account): Promise<string> {
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const body = new URLSearchParams({ grant_type: grant, assertion: statementOf(account, this.#now()) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const signal = AbortSignal.timeout(LIMITS.connectMs + LIMITS.headersMs)
    const request = { method: 'POST', url: account.tokenUrl, headers, body } as const
    const response = await this.#send(request, { signal, limits: LIMITS })
    const text = await readText(response.body, MAX_BYTES)
    const token = response.status === 200 ? tokenIn(text) : undefined
    if (!token) throw new UpstreamProblem('auth', 'the service account was refused', { status: response.status })
    return token
  }
}

function statementOf({ clientEmail, privateKey, tokenUrl }: Account, now: number): string {
  const issued = Math.floor(now / 1_000)
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat: issued, exp: issued + LIFETIME_SECONDS }
  const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
  return `${text}.${signed(text, privateKey)}`
}

function signed(text: string, privateKey: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')
  } catch {
    throw new UpstreamProblem('auth', "the service account's private key cannot be used")
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function tokenIn(text: string): string | undefined {
  try {
    const { access_token: token } = JSON.parse(text) as { access_token?: unknown }
    return typeof token === 'string' && token !== '' ? token : undefined
  } catch {
    return undefined
  }
}
