import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayComeFrom } from '../../tenants/access/allowed-ips.ts'
import type { TenantServices } from '../../tenants/tenant-services.ts'
import type { Author } from '../../tenants/audit/author.ts'
import { problem } from '../../contract/problems.ts'
import { type Actor, adminKeyActor, authorOf } from '../../tenants/people/actor.ts'
import { isAdminToken } from '../../tenants/people/manage-tokens.ts'
import { mayAnything } from '../../tenants/people/may.ts'
import { notYours } from '../../tenants/people/people-services.ts'
import type { Permission } from '../../tenants/people/roles.ts'
import { readCookie } from '../../tenants/sign-in/cookie.ts'
import { actorOfSession, type SignInOrigin } from '../../tenants/sign-in/sessions.ts'
import { actorOfToken, canSignIn } from '../../tenants/sign-in/tokens.ts'
import { OTHER_ADDRESS, readToken, UNAUTHENTICATED } from '../auth.ts'
import type { HttpServices } from '../route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, on the admin listener. */
    actor: Actor
  }
}

type Done = (error?: Error) => void

/** With a session, uploads need it. */
export const FORM_HEADER = 'x-gatehouse-form'
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Finds out who asks: the admin key, a token of a service account, or a session. Then it refuses an actor who has the
 * permission for no object at all; the use case checks the permission for the object in question.
 */
export function requireActor({ active }: Pick<HttpServices, 'active'>, permission?: Permission | 'self') {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
    identifyActor(request, active.current.tenants, permission).then(() => done(), done)
  }
}

async function identifyActor(
  request: FastifyRequest,
  services: TenantServices,
  permission?: Permission | 'self',
): Promise<void> {
  const actor = await actorOf(request, services)
  if (!actor) throw UNAUTHENTICATED
  request.actor = actor
  if (permission && permission !== 'self' && !mayAnything(actor, permission)) throw notYours()
}

/** A request with a key or a token needs no cookie, and its cookie is not looked at. */
export async function actorOf(
  request: FastifyRequest,
  services: TenantServices,
  isUse = true,
): Promise<Actor | undefined> {
  if (request.headers.authorization === undefined && request.headers['x-api-key'] === undefined)
    return await actorOfCookie(request, services, isUse)
  const token = readToken(request)
  if (token === undefined) return undefined
  return isAdminToken(token) ? await actorOfToken(token, services) : await actorOfKey(token, request, services)
}

async function actorOfCookie(
  request: FastifyRequest,
  services: Pick<TenantServices, 'config' | 'db' | 'now' | 'newId'>,
  isUse: boolean,
): Promise<Actor | undefined> {
  const token = readCookie(request.headers.cookie, services.config)
  if (token === undefined) return undefined
  refuseForms(request)
  return await actorOfSession(token, services, { isUse })
}

/**
 * A page of another site can make a browser send a form with our cookie, but not JSON: that would need our permission first.
 * SameSite, `Origin` and `Sec-Fetch-Site` (check-origin.ts) refuse it too. A form with a header of our own needs that
 * permission as well, so an upload is accepted with it.
 */
function refuseForms({ method, headers, routeOptions }: FastifyRequest): void {
  const type = headers['content-type']
  if (routeOptions.config.route?.multipart && headers[FORM_HEADER] !== undefined) return
  if (SAFE_METHODS.includes(method) || type === undefined || /^application\/json\s*(;|$)/i.test(type)) return
  throw problem('unsupported_media_type', { message: 'Send application/json.' })
}

async function actorOfKey(
  token: string,
  request: FastifyRequest,
  services: TenantServices,
): Promise<Actor | undefined> {
  const caller = await services.keyCache.find(token, request)
  if (caller?.kind !== 'admin') return undefined
  if (!mayComeFrom(caller, request)) throw OTHER_ADDRESS
  // Only where a person can still sign in.
  if (services.config.adminKeyAccess === 'off' && (await canSignIn(services))) return undefined
  return adminKeyActor(caller.keyId === 'env-admin' ? undefined : caller.keyId)
}

/** What the audit log says about the sender of a request. */
export function authorOfRequest({ actor, clientAddress, id }: FastifyRequest): Author {
  return authorOf(actor, { ip: clientAddress, request: id })
}

/** The services of a use case, with who asks for it. */
export function askedBy<Services extends object>(request: FastifyRequest, services: Services) {
  return { ...services, actor: request.actor, author: authorOfRequest(request) }
}

export function originOf({ clientAddress, headers, id }: FastifyRequest): SignInOrigin {
  return { ip: clientAddress, agent: headers['user-agent'], request: id, listener: 'admin' }
}
