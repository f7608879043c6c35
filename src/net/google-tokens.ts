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
type Token = { value: string; until: number }

/** Access tokens of service accounts; there are as many as the operator configured, and each is fetched once an hour. */
export class GoogleTokens {
  readonly #send: Send
  readonly #now: () => number
  readonly #tokens = new Map<string, Promise<Token>>()

  constructor(send: Send, now: () => number) {
    this.#send = send
    this.#now = now
  }

  async tokenFor(account: Account): Promise<string> {
    const known = await this.#tokens.get(account.clientEmail)?.catch(() => undefined)
    if (known && known.until > this.#now()) return known.value
    const fetching = this.#exchange(account)
    this.#tokens.set(account.clientEmail, fetching)
    return (await fetching).value
  }

  async #exchange(account: Account): Promise<Token> {
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const body = new URLSearchParams({ grant_type: grant, assertion: statementOf(account, this.#now()) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const signal = AbortSignal.timeout(LIMITS.connectMs + LIMITS.headersMs)
    const response = await this.#send({ method: 'POST', url: account.tokenUrl, headers, body }, { signal, limits: LIMITS })
    const text = await readText(response.body, MAX_BYTES)
    const value = response.status === 200 ? tokenIn(text) : undefined
    if (!value) throw new UpstreamProblem('auth', 'the service account was refused', { status: response.status })
    return { value, until: this.#now() + LIFETIME_SECONDS * 1_000 - SPARE_MS }
  }
}

function statementOf({ clientEmail, privateKey, tokenUrl }: Account, now: number): string {
  const issued = Math.floor(now / 1_000)
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat: issued, exp: issued + LIFETIME_SECONDS }
  const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`
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
