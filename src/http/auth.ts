import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, problem } from '../contract/problems.ts'
import { mayComeFrom } from '../access/allowed-ips.ts'
import { type Caller, mayUseEndpoint } from '../access/caller.ts'
import type { EndpointScope } from '../access/policy.ts'
import type { AppContext } from '../app/context.ts'
import { admit } from './admission.ts'
import { countHeader } from './raw-headers.ts'
import type { HttpServices } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

type Done = (error?: Error) => void

/** Every failure to authenticate gets this same answer, so that the answer does not reveal the reason. */
const UNAUTHENTICATED = problem('invalid_api_key', { headers: { 'www-authenticate': 'Bearer' } })
const NOT_ALLOWED = problem('not_allowed')
const OTHER_ADDRESS = problem('not_allowed', { message: 'This key may not be used from this address.' })
/** No key is longer, so a longer header is not worth hashing. */
const MAX_TOKEN_CHARS = 512

export function requireKey(services: HttpServices, scope: EndpointScope | undefined) {
  return guard(services.context.keyCache, (caller, request, reply) => {
    if (caller.kind === 'admin') return UNAUTHENTICATED
    if (!mayComeFrom(caller, request)) return OTHER_ADDRESS
    if (scope && !mayUseEndpoint(caller, scope)) return NOT_ALLOWED
    return admit(request, reply, caller.owner, services)
  })
}

export function requireAdmin({ keyCache }: AppContext) {
  return guard(keyCache, (caller, request) => {
    if (caller.kind !== 'admin') return UNAUTHENTICATED
    return mayComeFrom(caller, request) ? undefined : OTHER_ADDRESS
  })
}

type Refuse = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Problem | undefined

/** Uses callbacks, because the key is nearly always in memory and then no promise is needed. */
function guard(keyCache: AppContext['keyCache'], refuse: Refuse) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    const token = readToken(request)
    if (token === undefined) return done(UNAUTHENTICATED)
    const found = keyCache.find(token, request)
    if (found instanceof Promise) found.then(proceed, done)
    else proceed(found)

    function proceed(caller: Caller | undefined) {
      if (!caller) return done(UNAUTHENTICATED)
      request.caller = caller
      done(refuse(caller, request, reply))
    }
  }
}

/** Reads `Authorization: Bearer`, which most clients send, or what clients of Anthropic and of Google send. */
function readToken({ headers, raw, url }: FastifyRequest): string | undefined {
  const { authorization } = headers
  // Node keeps the first of two `Authorization` headers; a proxy in front may have checked the other.
  if (countHeader(raw.rawHeaders, 'authorization') > 1) return undefined
  const token = authorization === undefined ? otherToken(headers, url) : bearer(authorization)
  return typeof token === 'string' && token !== '' && token.length <= MAX_TOKEN_CHARS ? token : undefined
}

/** Google's clients may write the key into the address. Elsewhere it is not accepted, because addresses end up in logs. */
function otherToken(headers: FastifyRequest['headers'], url: string): unknown {
  const token = headers['x-api-key'] ?? headers['x-goog-api-key']
  if (token !== undefined || !url.startsWith('/v3/v1beta/')) return token
  const keys = new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('key')
  return keys.length === 1 ? keys[0] : undefined
}

function bearer(header: string): string | undefined {
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : undefined
}
