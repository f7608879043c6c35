import { createHash } from 'node:crypto'
import type { Credential } from '../../platform/config/credentials/credential.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { sha256Hex, signRequest } from '../../platform/net/sigv4.ts'
import type { AwsKeys } from '../../translation/wire/aws-identity.ts'
import type { TokenExchange } from '../../translation/wire/token-exchange.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireRequest, WireSource } from '../../translation/wire/wire.ts'
import type { CallServices } from '../services/call-services.ts'

type Clock = Pick<CallServices, 'now'> & {
  accessTokens: Pick<CallServices['accessTokens'], 'tokenFor' | 'awsKeysFor'>
}

/** Adds the credential to a request in the way that the provider's row says. Dialects know nothing of credentials. */
export function authorize(
  body: WireRequest,
  provider: Provider,
  credential: Credential,
  services: Clock,
): WireRequest | Promise<WireRequest> {
  const request = provider.addressCredential ? withAddressCredential(body, provider) : body
  const { aws, awsIdentity, exchange, secret } = credential
  if (aws || awsIdentity)
    return signFor(request, credential, { service: 'bedrock', ...scopeOf(provider, services) }, services)
  if (exchange) return withToken(request, exchange, services)
  return withSecret(request, provider, secret)
}

/** Credentials in an operator's address are sent to that address only. The provider's own authorization replaces them. */
export function withAddressCredential(request: WireRequest, provider: Provider): WireRequest {
  const { basic, query } = provider.addressCredential ?? {}
  if (!request.url.startsWith(`${provider.baseUrl}/`)) return request
  const url = query ? `${request.url}${request.url.includes('?') ? '&' : '?'}${query}` : request.url
  const headers = { ...(basic && provider.auth.scheme !== 'aws' && { authorization: basic }), ...request.headers }
  return { ...request, url, headers }
}

type ServiceAccess = { provider: Provider; credential: Credential; service: string }

/** Some services need another credential than the provider's models: AWS keys instead of a Bedrock key, a service account. */
export function authorizeForService(
  body: WireRequest,
  { provider, credential, service }: ServiceAccess,
  services: Clock,
): WireRequest | Promise<WireRequest> {
  const request = provider.addressCredential ? withAddressCredential(body, provider) : body
  const used = provider.serviceCredential ?? credential
  const { aws, awsIdentity, exchange, secret } = used
  if (aws || awsIdentity) return signFor(request, used, { service, ...scopeOf(provider, services) }, services)
  if (exchange) return withToken(request, exchange, services)
  if (provider.auth.scheme === 'aws' && secret)
    throw new UpstreamProblem('auth', 'a Bedrock key is only valid for Bedrock; this service needs AWS_ACCESS_KEY_ID')
  return withSecret(request, provider, secret)
}

/** Short-lived keys are nearly always in memory. */
function signFor(
  request: WireRequest,
  { aws, awsIdentity }: Credential,
  scope: Scope,
  { accessTokens }: Clock,
): WireRequest | Promise<WireRequest> {
  if (aws) return signForService(request, aws, scope)
  return accessTokens.awsKeysFor(awsIdentity!).then((keys) => signForService(request, keys, scope))
}

/** Signs every header, because these services refuse a request with an unsigned `x-amz-…` header. */
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

/** The source is read once for the signature and again when it is sent, so it is never in memory as a whole. */
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

/** Servers with a CGI-like interface cannot tell `x_key` from `x-key`: a caller's header must not be taken for ours. */
function leaveOutLike(name: string, headers: WireRequest['headers']): void {
  for (const other in headers) if (other.includes('_') && other.replaceAll('_', '-') === name) delete headers[other]
}

/** The request was made for this one attempt, so its headers may be changed. */
function withBearer(request: WireRequest, token: string): WireRequest {
  request.headers.authorization = `Bearer ${token}`
  return request
}
