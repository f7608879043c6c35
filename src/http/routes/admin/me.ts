import type { FastifyReply, FastifyRequest } from 'fastify'
import { ChangeMeRequest, Me } from '../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { changeMe, describeMe } from '../../../sign-in/own-account.ts'
import { originOf, peopleContext } from '../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../services.ts'
import { replyWithSession } from './open-session-reply.ts'

export const show: Route = {
  method: 'GET',
  path: '/admin/me',
  access: 'admin',
  permission: 'self',
  summary: 'Who is asking, and what they may do',
  replies: { 200: { description: 'The asker.', schema: Me } },
  handle: ({ actor }: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => describeMe(actor, context),
}

export const change: Route = {
  method: 'PATCH',
  path: '/admin/me',
  access: 'admin',
  permission: 'self',
  summary: 'Change your own account',
  description:
    'A new password needs the current one. It ends all of your sessions, and the answer sets the cookie of a new one.',
  body: ChangeMeRequest,
  replies: {
    200: { description: 'The asker.', schema: Me },
    409: { description: 'There is no account to change, or it has no password.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const body = (request.body as JsonBody).value as ChangeMeRequest
    const opened = await changeMe(body, originOf(request), peopleContext(request, context))
    return opened ? await replyWithSession(reply, opened, context) : describeMe(request.actor, context)
  },
}
