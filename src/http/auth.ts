import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, problem } from '../contract/problems.ts'
import { mayComeFrom } from '../tenants/access/allowed-ips.ts'
import { type Caller, mayUseEndpoint, policyAllowsEndpoint, resourceOf } from '../tenants/access/caller.ts'
import { type EndpointScope, keepsNothing } from '../tenants/access/policy.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import type { TenantServices } from '../tenants/tenant-services.ts'
import { MAX_JWT_CHARS } from '../tenants/jwt/compact-token.ts'
import { NOT_OURS } from '../tenants/jwt/jwt-callers.ts'
import { admit } from './admission.ts'
import { resourceBehind } from './local/local-connection.ts'
import { mcpChallenge } from './edge/mcp-challenge.ts'
import { countHeader } from './raw-headers.ts'
import type { HttpServices } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

type Done = (error?: Error) => void

/** Every failure to authenticate gets this same answer, so that the answer does not reveal the reason. */
export const UNAUTHENTICATED = problem('invalid_api_key', { headers: { 'www-authenticate': 'Bearer' } })
const NOT_ALLOWED = problem('not_allowed')
const AGAINST_POLICY = problem('not_allowed', {
  message: 'The policy of this project or key does not allow this endpoint.',
  members: { policy: 'endpoints' },
})
const NOTHING_STORED = problem('not_allowed', {
  message: "The data policy 'zero_retention' of this project or key does not allow storing anything.",
  members: { policy: 'data_policy' },
})
const NOT_GUARDED = problem('not_allowed', {
  message: 'A guardrail applies to this project or key, which this endpoint cannot hold.',
})
const NOT_KNOWN = problem('unavailable', {
  message: 'The gateway has just started and does not know yet which guardrails apply. Try again shortly.',
})
export const OTHER_ADDRESS = problem('not_allowed', { message: 'This key may not be used from this address.' })
/** No key is longer, so a longer header is not worth hashing. Tokens of issuers may be longer. */
const MAX_KEY_CHARS = 512

/** `stores`: the gateway keeps what the request sends. `isUnguarded`: guardrails do not see it. */
type Needs = {
  scope?: EndpointScope | undefined
  stores?: boolean | undefined
  isUnguarded?: boolean | undefined
}

export function requireKey(services: HttpServices, needs: Needs) {
  const check = guard(callersOf(services.tenants), (caller, request, reply) => {
    if (caller.kind === 'admin' || isForOtherResource(caller, request)) return UNAUTHENTICATED
    if (caller.kind === 'session' && isSignedInWithout(caller, services)) return UNAUTHENTICATED
    if (!mayComeFrom(caller, request)) return OTHER_ADDRESS
    return refusalOf(caller, needs, services.calls) ?? admit(request, reply, caller.owner, services)
  })
  if (needs.scope !== 'mcp') return check
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    check(request, reply, (error) =>
      done(error === UNAUTHENTICATED ? (mcpChallenge(request, services) ?? error) : error),
    )
  }
}

/** Whether this is the session of a coding agent, and the operator has turned their sign-in off. Those of MCP are for one resource. */
function isSignedInWithout(caller: Caller, { active }: HttpServices): boolean {
  return !active.current.calls.config.agents.signIn && resourceOf(caller) === undefined
}

/** Whether a token for one resource is used for another one. What the resource itself asks in the name of its client is not. */
function isForOtherResource(caller: Caller, { raw, url }: FastifyRequest): boolean {
  const resource = resourceOf(caller)
  if (resource === undefined) return false
  return !isBelow(resourceBehind(raw) ?? url.split('?', 1)[0]!, resource)
}

function isBelow(path: string, resource: string): boolean {
  return path === resource || path.startsWith(`${resource}/`)
}

/** Why the caller may not use an endpoint with these needs, if so. */
export function refusalOf(
  caller: Caller,
  { scope, stores, isUnguarded }: Needs,
  { guardrails }: Pick<CallServices, 'guardrails'>,
): Problem | undefined {
  if (scope && !mayUseEndpoint(caller, scope)) return policyAllowsEndpoint(caller, scope) ? NOT_ALLOWED : AGAINST_POLICY
  if (stores && keepsNothing(caller.policy)) return NOTHING_STORED
  if (scope && !guardrails.isComplete) return NOT_KNOWN
  return isUnguarded && guardrails.enforcesFor(caller) ? NOT_GUARDED : undefined
}

/** For a route that stores only what some requests send. */
export function refuseToStore({ policy }: Caller): void {
  if (keepsNothing(policy)) throw NOTHING_STORED
}

type Refuse = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Problem | undefined

type FindCaller = (token: string, request: FastifyRequest) => Caller | undefined | Promise<Caller | undefined>

/** A token of an issuer that the config file names, or a key. */
function callersOf({ keyCache, jwtCallers }: Pick<TenantServices, 'keyCache' | 'jwtCallers'>): FindCaller {
  const findKey = keysOf(keyCache)
  return (token, request) => {
    const found = jwtCallers.isOpen ? jwtCallers.find(token, request) : NOT_OURS
    return found === NOT_OURS ? findKey(token, request) : found
  }
}

function keysOf(keyCache: TenantServices['keyCache']): FindCaller {
  return (token, request) => (token.length <= MAX_KEY_CHARS ? keyCache.find(token, request) : undefined)
}

/** Uses callbacks, because the key is nearly always in memory and then no promise is needed. */
function guard(find: FindCaller, refuse: Refuse) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    const token = tokenOf(request)
    if (!token) return done(UNAUTHENTICATED)
    const found = find(token, request)
    if (found instanceof Promise) found.then(proceed, done)
    else proceed(found)

    function proceed(caller: Caller | undefined) {
      if (!caller) return done(UNAUTHENTICATED)
      request.caller = caller
      done(refuse(caller, request, reply))
    }
  }
}

/** The key or the token that a request has sent, of every kind. */
export function tokenOf(request: FastifyRequest): string | undefined {
  return readGatewayToken(request) ?? readToken(request, MAX_JWT_CHARS)
}

/** Clients of other gateways name the key of the gateway so, and may have the key of a provider in `Authorization`. */
const GATEWAY_HEADERS = ['x-litellm-api-key', 'x-portkey-api-key', 'x-bf-vk'] as const

function readGatewayToken({ headers }: FastifyRequest): string | undefined {
  for (const name of GATEWAY_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value.length <= MAX_JWT_CHARS ? (bearer(value) ?? value) : ''
  }
  return undefined
}

/** Reads `Authorization: Bearer`, which most clients send, or what clients of Anthropic, Azure and Google send. */
export function readToken({ headers, raw, url }: FastifyRequest, maxChars = MAX_KEY_CHARS): string | undefined {
  const { authorization } = headers
  // Node keeps the first of two `Authorization` headers; a proxy in front may have checked the other.
  if (countHeader(raw.rawHeaders, 'authorization') > 1) return undefined
  const token = authorization === undefined ? otherToken(headers, url) : bearer(authorization)
  return typeof token === 'string' && token !== '' && token.length <= maxChars ? token : undefined
}

const GOOGLE_PATHS = /^\/v3\/(?:upload\/)?v1beta\//

/** Google's clients may write the key into the address. Elsewhere it is not accepted, because addresses end up in logs. */
function otherToken(headers: FastifyRequest['headers'], url: string): unknown {
  const token = headers['x-api-key'] ?? headers['api-key'] ?? headers['x-goog-api-key']
  if (token !== undefined || !GOOGLE_PATHS.test(url)) return token
  const keys = new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('key')
  return keys.length === 1 ? keys[0] : undefined
}

function bearer(header: string): string | undefined {
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : undefined
}
