import type { AwsIdentity, AwsKeys } from '../../../translation/wire/aws-identity.ts'
import type { TokenExchange } from '../../../translation/wire/token-exchange.ts'
import { type Answer, type Ask, askWith, refusal, type Senders } from './ask.ts'
import { fetchAwsKeys } from './aws-keys.ts'
import { askGoogleFederation } from './google-federation.ts'
import { type Fetched, ShortLived } from './short-lived.ts'
import { readTokenFile } from './token-file.ts'
import { azureFederationRequest, lifetimeIn, tokenIn, tokenRequest } from './token-requests.ts'

/** Vendors state times of the wall clock. How long a token is kept is measured on the clock that does not jump. */
type Clocks = { now(): number; monotonic(): number }

/** The short-lived tokens and keys that credentials are exchanged for. */
export class AccessTokens {
  readonly #senders: Senders
  readonly #clocks: Clocks
  readonly #tokens: ShortLived<string>
  readonly #awsKeys: ShortLived<AwsKeys>

  constructor(senders: Senders, clocks: Clocks) {
    this.#senders = senders
    this.#clocks = clocks
    this.#tokens = new ShortLived(clocks.monotonic)
    this.#awsKeys = new ShortLived(clocks.monotonic)
  }

  tokenFor(exchange: TokenExchange): Promise<string> {
    return this.#tokens.get(nameOf(exchange), () => this.#fetchToken(exchange))
  }

  awsKeysFor(identity: AwsIdentity): Promise<AwsKeys> {
    return this.#awsKeys.get(JSON.stringify(identity), () => this.#fetchAwsKeys(identity))
  }

  /** A token was refused before it expired. Resolves when there is another one, or none can be had. */
  refused(exchange: TokenExchange): Promise<void> {
    return this.#tokens.refused(nameOf(exchange), () => this.#fetchToken(exchange))
  }

  #fetchAwsKeys(identity: AwsIdentity): Promise<Fetched<AwsKeys>> {
    return fetchAwsKeys(identity, { ask: askWith(this.#senders), now: this.#clocks.now })
  }

  async #fetchToken(exchange: TokenExchange): Promise<Fetched<string>> {
    const answer = await askFor(exchange, { ask: askWith(this.#senders), now: this.#clocks.now })
    const value = answer.status === 200 ? tokenIn(answer.text) : undefined
    if (!value) throw refusal(answer)
    return { value, lifetimeMs: lifetimeIn(answer.text, exchange.kind, this.#clocks.now()) }
  }
}

async function askFor(exchange: TokenExchange, fetching: { ask: Ask; now(): number }): Promise<Answer> {
  const { ask, now } = fetching
  switch (exchange.kind) {
    case 'google-federation':
      return await askGoogleFederation(exchange, fetching)
    case 'azure-federation':
      return await ask(azureFederationRequest(exchange, await readTokenFile(exchange.tokenFile)), 'server')
    case 'google-machine':
    case 'azure-machine': {
      const { tokenUrl: url, headers } = exchange
      return await ask({ method: 'GET', url, headers: { ...headers }, body: null }, 'machine')
    }
    default:
      return await ask(tokenRequest(exchange, now()), 'server')
  }
}

function nameOf(exchange: TokenExchange): string {
  const { kind, tokenUrl } = exchange
  if (kind === 'google') return `${kind} ${tokenUrl} ${exchange.clientEmail}`
  if (kind === 'ibm' || kind === 'gigachat') return `${kind} ${tokenUrl} ${exchange.scope ?? ''} ${exchange.secret}`
  return JSON.stringify(exchange)
}
