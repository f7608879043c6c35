import { createSign, randomUUID } from 'node:crypto'
import { toNumber } from '../../../base/schema/to-primitive.ts'
import type {
  AzureFederation,
  KeyExchange,
  ServiceAccount,
  TokenExchange,
} from '../../../translation/wire/token-exchange.ts'
import { UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'
import type { WireRequest } from '../../../translation/wire/wire.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// How each vendor's token is requested, and how the answers are read.

/** How long a token is valid if the answer does not say. */
const LIFETIME_SECONDS: Record<TokenExchange['kind'], number> = {
  google: 3_600,
  ibm: 3_600,
  gigachat: 1_800,
  'google-machine': 600,
  'google-federation': 1_800,
  'azure-machine': 600,
  'azure-federation': 1_800,
}
/** A lifetime outside of these limits is invalid, or a clock is wrong. Then the default is used. */
const SANE_MS = { least: 60_000, max: DAY_MS }
export const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const AZURE_SCOPE = 'https://cognitiveservices.azure.com/.default'

export function tokenRequest(exchange: ServiceAccount | KeyExchange, now: number): WireRequest {
  if (exchange.kind === 'google') return googleRequest(exchange, now)
  return exchange.kind === 'ibm' ? ibmRequest(exchange) : gigaChatRequest(exchange)
}

/** https://developers.google.com/identity/protocols/oauth2/service-account */
function googleRequest(account: ServiceAccount, now: number): WireRequest {
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  return form(account.tokenUrl, { grant_type, assertion: statementOf(account, now) })
}

/** https://cloud.ibm.com/docs/account?topic=account-iamtoken_from_apikey */
function ibmRequest({ tokenUrl, secret }: KeyExchange): WireRequest {
  return form(tokenUrl, { grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey: secret })
}

/** https://developers.sber.ru/docs/ru/gigachat/api/authorization: every request has an id of its own. */
function gigaChatRequest({ tokenUrl, secret, scope = '' }: KeyExchange): WireRequest {
  return form(tokenUrl, { scope }, { authorization: `Basic ${secret}`, rquid: randomUUID() })
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
export function azureFederationRequest({ tokenUrl, clientId }: AzureFederation, token: string): WireRequest {
  return form(tokenUrl, {
    grant_type: 'client_credentials',
    client_id: clientId,
    scope: AZURE_SCOPE,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: token,
  })
}

export function form(url: string, fields: Record<string, string>, more: Record<string, string> = {}): WireRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...more }
  return { method: 'POST', url, headers, body: new URLSearchParams(fields).toString() }
}

function statementOf({ clientEmail, privateKey, tokenUrl }: ServiceAccount, now: number): string {
  const issued = Math.floor(now / 1_000)
  const exp = issued + LIFETIME_SECONDS.google
  const claims = { iss: clientEmail, scope: GOOGLE_SCOPE, aud: tokenUrl, iat: issued, exp }
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

export function tokenIn(text: string): string | undefined {
  const { access_token: token } = fieldsIn(text)
  return typeof token === 'string' && token !== '' ? token : undefined
}

/**
 * Returns milliseconds. Most vendors state a number of seconds, Sber the time of expiry in milliseconds, and the metadata
 * servers of Azure that time in seconds, as texts.
 */
export function lifetimeIn(text: string, kind: TokenExchange['kind'], now: number): number {
  const { expires_in, expires_at, expires_on } = fieldsIn(text)
  const until = expires_on === undefined ? toNumber(expires_at) : toNumber(expires_on) * 1_000
  const lifetimeMs = expires_in === undefined ? until - now : toNumber(expires_in) * 1_000
  return lifetimeMs >= SANE_MS.least && lifetimeMs <= SANE_MS.max ? lifetimeMs : LIFETIME_SECONDS[kind] * 1_000
}

function fieldsIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
