import type { FastifyReply } from 'fastify'
import type { TenantServices } from '../../../tenants/tenant-services.ts'
import { UNAUTHENTICATED } from '../../auth.ts'
import { sessionCookie } from '../../../tenants/sign-in/cookie.ts'
import { describeMe } from '../../../tenants/sign-in/own-account.ts'
import { actorOfSession, type OpenedSession, SESSION_SECONDS } from '../../../tenants/sign-in/sessions.ts'

/** Answers with who has signed in, and gives the browser the cookie. The token is nowhere else. */
export async function replyWithSession(
  reply: FastifyReply,
  { token }: OpenedSession,
  services: Pick<TenantServices, 'db' | 'now' | 'newId' | 'config'>,
) {
  const actor = await actorOfSession(token, services)
  if (!actor) throw UNAUTHENTICATED
  reply.header('set-cookie', sessionCookie(token, SESSION_SECONDS, services.config))
  return await describeMe(actor, services)
}
