import type * as OpenId from 'openid-client'
import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import type { IssuerDocuments } from '../../jwt/issuer-documents.ts'
import { IssuerKeys } from '../../jwt/issuer-keys.ts'
import { readKeys } from '../../jwt/read-keys.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

// The package openid-client is loaded with the first sign-in, so that a gateway without a provider does not hold it in memory.

/** Providers change their metadata rarely, and their keys are read again when one is unknown. */
const KEEP_MS = HOUR_MS
const SKEW_SECONDS = 60
const TIMEOUT_SECONDS = 15

type OidcClient = { openId: typeof OpenId; configuration: OpenId.Configuration; keys: IssuerKeys }

type Needs = { documents: IssuerDocuments; monotonic(): number; failed(issuer: string, reason: string): void }
type CachedClient = { opened: Promise<OidcClient>; until: number; keys: IssuerKeys }

/** One client for each provider of the config file. */
export class OidcClients {
  readonly #needs: Needs
  /** By object: a reload that changes nothing about a provider may still make another object, and that costs a request. */
  readonly #clients = new WeakMap<OidcIssuer, CachedClient>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Rejects if the provider does not answer, or answers with something other than its metadata. */
  open(issuer: OidcIssuer): Promise<OidcClient> {
    const now = this.#needs.monotonic()
    const cached = this.#clients.get(issuer)
    if (cached && cached.until > now) return cached.opened
    const keys = cached?.keys ?? this.#keysOf(issuer)
    const opened = openClient(issuer, keys, this.#needs.documents)
    this.#clients.set(issuer, { opened, until: now + KEEP_MS, keys })
    opened.catch((error: Error) => this.#forget(issuer, error))
    return opened
  }

  /** The next sign-in tries again. */
  #forget(issuer: OidcIssuer, { message }: Error): void {
    this.#clients.delete(issuer)
    this.#needs.failed(issuer.issuer, message)
  }

  #keysOf({ issuer }: OidcIssuer): IssuerKeys {
    const { documents, monotonic, failed } = this.#needs
    const read = () => readKeys({ issuer, keys: undefined }, documents)
    return new IssuerKeys({ read, monotonic, failed: (reason) => failed(issuer, reason) })
  }
}

async function openClient(issuer: OidcIssuer, keys: IssuerKeys, documents: IssuerDocuments): Promise<OidcClient> {
  const openId = await import('openid-client')
  const isLocal = issuer.issuer.startsWith('http:')
  const metadata = { [openId.clockTolerance]: SKEW_SECONDS }
  const configuration = await openId.discovery(
    new URL(issuer.issuer),
    issuer.clientId,
    metadata,
    clientAuth(issuer, openId),
    {
      [openId.customFetch]: (url, options) => fetchFrom(documents, url, options),
      timeout: TIMEOUT_SECONDS,
      // The config file allows http for this machine only.
      execute: [openId.enableNonRepudiationChecks, ...(isLocal ? [openId.allowInsecureRequests] : [])],
    },
  )
  return { openId, configuration, keys }
}

/** The way that the provider knows; both are common. */
function clientAuth({ clientSecret }: OidcIssuer, openId: typeof OpenId): OpenId.ClientAuth {
  if (clientSecret === undefined) return openId.None()
  const [basic, post] = [openId.ClientSecretBasic(clientSecret), openId.ClientSecretPost(clientSecret)]
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const apply = methods.includes('client_secret_basic') ? basic : post
    apply(server, client, body, headers)
  }
}

async function fetchFrom(
  documents: IssuerDocuments,
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
): Promise<Response> {
  const isPost = method === 'POST'
  const answer = await documents.ask({
    method: isPost ? 'POST' : 'GET',
    url,
    headers: { ...headers },
    body: isPost ? String(body ?? '') : null,
  })
  return new Response(answer.text === '' ? null : answer.text, { status: answer.status, headers: answer.headers })
}
