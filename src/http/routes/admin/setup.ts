import { Me, SetupRequest } from '../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { completeSetup } from '../../../tenants/sign-in/setup.ts'
import { originOf } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { replyWithSession } from './open-session-reply.ts'

export const setup = route({
  method: 'POST',
  path: '/admin/setup',
  access: 'open',
  summary: 'Create the first owner',
  description:
    'Needs the token of the link that each start prints until the first person exists. The link is valid for an hour and can be ' +
    'used once. The answer sets the cookie of a session.',
  body: SetupRequest,
  replies: {
    201: { description: 'The owner is signed in.', schema: Me },
    409: { description: 'The link is not valid, or a person exists already.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const opened = await completeSetup(request.body.value, originOf(request), services.tenants)
    return await replyWithSession(reply, opened, services.tenants)
  },
})
