import type { TokenExchange } from '../wire/token-exchange.ts'
import { kindOfStatus, UpstreamProblem } from '../wire/upstream-problem.ts'
import { GATEWAY_OWNER, type Send, type WireResponse } from '../wire/wire.ts'
import { readText } from './read-text.ts'
import { lifetimeIn, tokenIn, tokenRequest } from './token-requests.ts'

/** A token is renewed this long before it expires, so that no call starts with a token that expires on the way. */
const SPARE_MS = 120_000
const LIMITS = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000 }
const MAX_BYTES = 64 * 1024
/** Far more than an operator configures. */
const MAX_TOKENS = 1_000
/** A token is fetched early at most this often, because the refusal may be caused by a header of the caller. */
const REFUSED_EVERY_MS = 60_000

/** Vendors state times of the wall clock. How long a token is kept is measured on the clock that does not jump. */
type Clocks = { now(): number; monotonic(): number }

type Token = { value: string; until: number }
type Kept = { value: Promise<string>; until: number; refusedAt?: number; replaced?: Promise<void> }

/** Fetches each access token once in its lifetime, and keeps it only in memory. */
export class AccessTokens {
  readonly #send: Send
  readonly #clocks: Clocks
  readonly #tokens = new Map<string, Kept>()

  constructor(send: Send, clocks: Clocks) {
    this.#send = send
    this.#clocks = clocks
  }

  /** All callers that arrive while a token is being fetched wait for the same token. */
  tokenFor(exchange: TokenExchange): Promise<string> {
    const name = nameOf(exchange)
    const known = this.#tokens.get(name)
    return known && known.until > this.#clocks.monotonic() ? known.value : this.#renew(name, exchange)
  }

  /**
   * Fetches another token because one was refused before it expired. Until the new token arrives, and if it never does,
   * other calls go on with the old one. Resolves when that is decided.
   */
  async refused(exchange: TokenExchange): Promise<void> {
    const name = nameOf(exchange)
    const kept = this.#tokens.get(name)
    if (!kept || kept.until === Number.POSITIVE_INFINITY) return
    if (kept.replaced) return await kept.replaced
    if (this.#clocks.monotonic() - (kept.refusedAt ?? Number.NEGATIVE_INFINITY) < REFUSED_EVERY_MS) return
    kept.refusedAt = this.#clocks.monotonic()
    kept.replaced = this.#replace(name, exchange, kept)
    await kept.replaced
  }

  async #replace(name: string, exchange: TokenExchange, old: Kept): Promise<void> {
    const token = await this.#ask(exchange).catch(() => undefined)
    old.replaced = undefined
    if (!token || this.#tokens.get(name) !== old) return
    this.#tokens.set(name, { value: Promise.resolve(token.value), until: token.until, refusedAt: old.refusedAt })
  }

  #renew(name: string, exchange: TokenExchange): Promise<string> {
    const coming = this.#ask(exchange)
    const kept: Kept = { value: coming.then(({ value }) => value), until: Number.POSITIVE_INFINITY }
    this.#tokens.delete(name)
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size >= MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest)
    this.#tokens.set(name, kept)
    coming.then(
      ({ until }) => {
        kept.until = until
      },
      () => this.#tokens.get(name) === kept && this.#tokens.delete(name),
    )
    return kept.value
  }

  async #ask(exchange: TokenExchange): Promise<Token> {
    const signal = AbortSignal.timeout(LIMITS.connectMs + LIMITS.headersMs)
    const response = await this.#send(tokenRequest(exchange, this.#clocks.now()), {
      signal,
      limits: LIMITS,
      owner: GATEWAY_OWNER,
    })
    const text = await readText(response.body, MAX_BYTES)
    const value = response.status === 200 ? tokenIn(text) : undefined
    if (!value) throw refusal(response)
    const lifetime = lifetimeIn(text, exchange.kind, this.#clocks.now())
    return { value, until: this.#clocks.monotonic() + Math.max(lifetime - SPARE_MS, lifetime / 2) }
  }
}

/** A server that is busy or failing has said nothing about the credential. */
function refusal({ status }: WireResponse): UpstreamProblem {
  if (status === 429 || status >= 500)
    return new UpstreamProblem(kindOfStatus(status), 'no access token could be fetched', { status })
  return new UpstreamProblem('auth', 'the token endpoint refused the credential', { status })
}

function nameOf(exchange: TokenExchange): string {
  const { kind, tokenUrl } = exchange
  if (kind === 'google') return `${kind} ${tokenUrl} ${exchange.clientEmail}`
  return `${kind} ${tokenUrl} ${exchange.scope ?? ''} ${exchange.secret}`
}
