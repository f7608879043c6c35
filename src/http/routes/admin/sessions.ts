import { Me, SessionList, SignInRequest } from '../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { isoOf } from '../../../people/people-context.ts'
import { endedCookie } from '../../../sign-in/cookie.ts'
import { endAllSessions, endSession, ownSessions } from '../../../sign-in/sessions.ts'
import { signIn } from '../../../sign-in/sign-in.ts'
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
    'A session opens the admin listener only: it is no API key.',
  body: SignInRequest,
  replies: {
    201: { description: 'Signed in.', schema: Me },
    401: { description: 'The e-mail address or the password is wrong.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request, reply, { context }) => {
    const opened = await signIn(request.body.value, originOf(request), context)
    return await replyWithSession(reply, opened, context)
  },
})

export const list = route({
  method: 'GET',
  path: '/admin/sessions',
  access: 'admin',
  permission: 'self',
  summary: 'Your sessions',
  replies: { 200: { description: 'The sessions of the asker.', schema: SessionList } },
  handle: async ({ actor }, _reply, { context }) => {
    const sessions = await ownSessions(actor, context)
    const items = sessions.map(({ id, via, ip, agent, createdAt, expiresAt, idleAt }) => ({
      ...{ id, via, ip, agent, created_at: isoOf(createdAt), expires_at: isoOf(expiresAt), idle_at: isoOf(idleAt) },
      current: id === actor.session,
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
  description: 'Signs out, if it is the session of this request. It ends in all processes at once.',
  replies: { 204: { description: 'Ended.' } },
  handle: async (request, reply, { context }) => {
    const { id } = request.params
    await endSession(request.actor, id, authorOfRequest(request), context)
    if (id === request.actor.session) reply.header('set-cookie', endedCookie(context.config))
  },
})

export const removeAll = route({
  method: 'DELETE',
  path: '/admin/sessions',
  access: 'admin',
  permission: 'self',
  summary: 'End all of your sessions',
  replies: { 204: { description: 'Ended.' } },
  handle: async (request, reply, { context }) => {
    await endAllSessions(request.actor.id, authorOfRequest(request), context)
    return reply.header('set-cookie', endedCookie(context.config)).code(204).send()
  },
})
