import type { FastifyReply, FastifyRequest } from 'fastify'
import { Me, SetupRequest } from '../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { completeSetup } from '../../../sign-in/setup.ts'
import { originOf } from '../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../services.ts'
import { replyWithSession } from './open-session-reply.ts'

export const setup: Route = {
  method: 'POST',
  path: '/admin/setup',
  access: 'open',
  summary: 'Create the first owner',
  description:
    'With the token of the link that a start prints as long as there is no person. The link is valid for an hour and can be ' +
    'used once. The answer sets the cookie of a session.',
  body: SetupRequest,
  replies: {
    201: { description: 'The owner is signed in.', schema: Me },
    409: { description: 'The link is not valid, or there is a person already.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    const opened = await completeSetup(value as SetupRequest, originOf(request), context)
    return reply.code(201).send(await replyWithSession(reply, opened, context))
  },
}
