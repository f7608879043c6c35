import { createHash } from 'node:crypto'
import type { AwsKeys, Credential } from '../config/credentials.ts'
import type { Provider } from '../config/provider-settings.ts'
import { sha256Hex, signRequest } from '../net/sigv4.ts'
import type { TokenExchange } from '../wire/token-exchange.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest, WireSource } from '../wire/wire.ts'
import type { AppContext } from '../app/context.ts'

type Clock = Pick<AppContext, 'now' | 'accessTokens'>

/** The request with the proof of who we are, as the provider's row wants it. Dialects know nothing of credentials. */
export function authorize(
  body: WireRequest,
  provider: Provider,
  credential: Credential,
  context: Clock,
  service?: string,
): WireRequest | Promise<WireRequest> {
  const request = provider.addressCredential ? withAddressCredential(body, provider) : body
  if (service) return authorizeForService(request, provider, credential, context, service)
  const { aws, exchange, secret } = credential
  if (aws) return signForService(request, aws, { service: 'bedrock', ...scopeOf(provider, context) })
  if (exchange) return withToken(request, exchange, context)
  return withSecret(request, provider, secret)
}

/** What the operator wrote into the address goes to that address only. A proof of the provider's own kind replaces the user. */
export function withAddressCredential(request: WireRequest, provider: Provider): WireRequest {
  const { basic, query } = provider.addressCredential ?? {}
  if (!request.url.startsWith(`${provider.baseUrl}/`)) return request
  const url = query ? `${request.url}${request.url.includes('?') ? '&' : '?'}${query}` : request.url
  const headers = { ...(basic && provider.auth.scheme !== 'aws' && { authorization: basic }), ...request.headers }
  return { ...request, url, headers }
}

/** Some services take another proof than the provider's models do: AWS keys instead of a Bedrock key, a service account. */
function authorizeForService(
  request: WireRequest,
  provider: Provider,
  credential: Credential,
  context: Clock,
  service: string,
): WireRequest | Promise<WireRequest> {
  const { aws, exchange, secret } = provider.serviceCredential ?? credential
  if (aws) return signForService(request, aws, { service, ...scopeOf(provider, context) })
  if (exchange) return withToken(request, exchange, context)
  if (provider.auth.scheme === 'aws' && secret)
    throw new UpstreamProblem('auth', 'a Bedrock key opens Bedrock only, this needs AWS_ACCESS_KEY_ID')
  return withSecret(request, provider, secret)
}

/** Signs every header: these services refuse a request whose `x-amz-…` headers are not all signed. */
function signForService(request: WireRequest, credentials: AwsKeys, scope: Scope): WireRequest | Promise<WireRequest> {
  const { body, source } = request
  if (source) return sha256Of(source).then((hash) => signed(request, credentials, scope, hash))
  return signed(request, credentials, scope, sha256Hex(body ?? ''))
}

type Scope = { service: string; region: string; now: Date }

function signed(request: WireRequest, credentials: AwsKeys, scope: Scope, payloadHash: string): WireRequest {
  const { method, url, headers } = request
  return { ...request, headers: signRequest({ method, url, headers, payloadHash }, { ...scope, credentials }) }
}

/** Read once for the signature, and once more when it is sent: it is never in memory as a whole. */
async function sha256Of({ read }: WireSource): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of read()) hash.update(chunk)
  return hash.digest('hex')
}

function scopeOf({ address }: Provider, { now }: Clock) {
  return { region: address.AWS_REGION ?? 'us-east-1', now: new Date(now()) }
}

async function withToken(request: WireRequest, exchange: TokenExchange, { accessTokens }: Clock): Promise<WireRequest> {
  return withBearer(request, await accessTokens.tokenFor(exchange))
}

function withSecret(request: WireRequest, { auth }: Provider, secret: string | undefined): WireRequest {
  if (!secret || auth.scheme === 'none') return request
  if (auth.scheme !== 'header') return withBearer(request, secret)
  const name = (auth.header ?? 'x-api-key').toLowerCase()
  leaveOutLike(name, request.headers)
  request.headers[name] = auth.prefix ? `${auth.prefix} ${secret}` : secret
  return request
}

/** Servers behind a CGI-like interface cannot tell `x_proof` from `x-proof`: a caller's header must not pass for ours. */
function leaveOutLike(name: string, headers: WireRequest['headers']): void {
  for (const other in headers) if (other.includes('_') && other.replaceAll('_', '-') === name) delete headers[other]
}

/** The request was made for this one call: its headers are ours to add to. */
function withBearer(request: WireRequest, token: string): WireRequest {
  request.headers.authorization = `Bearer ${token}`
  return request
}
