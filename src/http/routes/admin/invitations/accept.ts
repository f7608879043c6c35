import type { FastifyReply, FastifyRequest } from 'fastify'
import { AcceptInvitationRequest } from '../../../../contract/admin/members.ts'
import { Me } from '../../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import type { JsonBody } from '../../../../json/parse-body.ts'
import { acceptInvitation } from '../../../../sign-in/accept-invitation.ts'
import { actorOf, originOf } from '../../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../../services.ts'
import { replyWithSession } from '../open-session-reply.ts'

export const accept: Route = {
  method: 'POST',
  path: '/admin/invitations/accept',
  access: 'open',
  summary: 'Accept an invitation',
  description:
    'A new person sets a name and a password. Whoever has an account with the invited address has to be signed in with it. ' +
    'The answer sets the cookie of a new session.',
  body: AcceptInvitationRequest,
  replies: {
    201: { description: 'Signed in, with the new role.', schema: Me },
    409: {
      description: 'The invitation is not valid, or there is an account to sign in with first.',
      schema: ErrorBody,
    },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const body = (request.body as JsonBody).value as AcceptInvitationRequest
    const sender = { actor: await actorOf(request, context), origin: originOf(request) }
    const opened = await acceptInvitation(body, sender, context)
    return reply.code(201).send(await replyWithSession(reply, opened, context))
  },
}
