import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, problem } from '../contract/problems.ts'
import { type Caller, type EndpointScope, mayUseEndpoint } from '../access/caller.ts'
import type { AppContext } from '../app/context.ts'
import { admit } from './admission.ts'
import type { HttpServices } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

type Done = (error?: Error) => void

/** Every failure to authenticate is this one problem, so that the answer tells nothing about why. */
const UNAUTHENTICATED = problem('invalid_api_key', { headers: { 'www-authenticate': 'Bearer' } })
const NOT_ALLOWED = problem('not_allowed')
/** No key is longer; a longer header is not worth hashing. */
const MAX_TOKEN_CHARS = 512

export function requireKey(services: HttpServices, scope: EndpointScope | undefined) {
  return guard(services.context.keyCache, (caller, request, reply) => {
    if (caller.kind === 'admin') return UNAUTHENTICATED
    if (scope && !mayUseEndpoint(caller, scope)) return NOT_ALLOWED
    return admit(request, reply, caller.owner, services)
  })
}

export function requireAdmin({ keyCache }: AppContext) {
  return guard(keyCache, (caller) => (caller.kind === 'admin' ? undefined : UNAUTHENTICATED))
}

type Refuse = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Problem | undefined

/** Written with callbacks: nearly always the key is in memory and no promise is made. */
function guard(keyCache: AppContext['keyCache'], refuse: Refuse) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    const token = readToken(request)
    if (token === undefined) return done(UNAUTHENTICATED)
    const found = keyCache.find(token)
    if (found instanceof Promise) found.then(goOn, done)
    else goOn(found)

    function goOn(caller: Caller | undefined) {
      if (!caller) return done(UNAUTHENTICATED)
      request.caller = caller
      done(refuse(caller, request, reply))
    }
  }
}

/** `Authorization: Bearer` as most clients send it, or `x-api-key` as the Anthropic family does. */
function readToken({ headers, raw }: FastifyRequest): string | undefined {
  const { authorization, 'x-api-key': alternative } = headers
  if (isRepeated(raw.rawHeaders)) return undefined
  const token = authorization === undefined ? alternative : bearer(authorization)
  return typeof token === 'string' && token !== '' && token.length <= MAX_TOKEN_CHARS ? token : undefined
}

function bearer(header: string): string | undefined {
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : undefined
}

/** Of two `Authorization` headers Node keeps the first; a proxy in front may have looked at the other. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 13 && name.toLowerCase() === 'authorization') seen++
  }
  return seen > 1
}
