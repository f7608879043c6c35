import { AcceptInvitationRequest } from '../../../../contract/admin/members.ts'
import { Me } from '../../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { acceptInvitation } from '../../../../tenants/sign-in/accept-invitation.ts'
import { actorOf, originOf } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'
import { replyWithSession } from '../open-session-reply.ts'

export const accept = route({
  method: 'POST',
  path: '/admin/invitations/accept',
  access: 'open',
  summary: 'Accept an invitation',
  description:
    'A new person sets a name and a password. A person who has an account with the invited address has to be signed in with it. ' +
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
  handle: async (request, reply, services) => {
    const body = request.body.value
    const sender = { actor: await actorOf(request, services.tenants), origin: originOf(request) }
    const opened = await acceptInvitation(body, sender, services.tenants)
    return await replyWithSession(reply, opened, services.tenants)
  },
})
