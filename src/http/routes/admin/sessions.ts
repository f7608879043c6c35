import { Me, SessionList, SignInRequest } from '../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { isoOf } from '../../../tenants/people/people-services.ts'
import { endedCookie } from '../../../tenants/sign-in/cookie.ts'
import { endAllSessions, endSession, ownSessions } from '../../../tenants/sign-in/sessions.ts'
import { signIn } from '../../../tenants/sign-in/sign-in.ts'
import { authorOfRequest, originOf } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { replyWithSession } from './open-session-reply.ts'

export const create = route({
  method: 'POST',
  path: '/admin/sessions',
  access: 'open',
  summary: 'Sign in',
  description:
    'The answer sets the cookie of a new session, which ends after 12 hours without a request, and after 7 days in any case. ' +
    'A session is valid only on the admin listener: it is not an API key.',
  body: SignInRequest,
  replies: {
    201: { description: 'Signed in.', schema: Me },
    401: { description: 'The e-mail address or the password is wrong.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const opened = await signIn(request.body.value, originOf(request), services.tenants)
    return await replyWithSession(reply, opened, services.tenants)
  },
})

export const list = route({
  method: 'GET',
  path: '/admin/sessions',
  access: 'admin',
  permission: 'self',
  summary: 'List your sessions',
  description: 'The list includes sessions of coding agents, which are extended whenever the agent renews its tokens.',
  replies: { 200: { description: 'Your sessions.', schema: SessionList } },
  handle: async ({ actor }, _reply, services) => {
    const items = (await ownSessions(actor, services.tenants)).map(({ createdAt, expiresAt, idleAt, ...session }) => ({
      ...session,
      created_at: isoOf(createdAt),
      expires_at: isoOf(expiresAt),
      idle_at: isoOf(idleAt),
      current: session.id === actor.session,
    }))
    return { items, next_cursor: null }
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/sessions/{id}',
  access: 'admin',
  permission: 'self',
  summary: 'End one of your sessions',
  description:
    'Signs out, if it is the session of this request. It ends in all processes at once, that of a coding agent within seconds.',
  replies: { 204: { description: 'Ended.' } },
  handle: async (request, reply, services) => {
    const { id } = request.params
    await endSession(request.actor, id, authorOfRequest(request), services.tenants)
    if (id === request.actor.session) reply.header('set-cookie', endedCookie(services.tenants.config))
  },
})

export const removeAll = route({
  method: 'DELETE',
  path: '/admin/sessions',
  access: 'admin',
  permission: 'self',
  summary: 'End all of your sessions',
  replies: { 204: { description: 'Ended.' } },
  handle: async (request, reply, services) => {
    await endAllSessions(request.actor.id, authorOfRequest(request), services.tenants)
    return reply.header('set-cookie', endedCookie(services.tenants.config)).code(204).send()
  },
})
