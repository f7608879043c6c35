import { AccountLink } from '../../../../contract/admin/members.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { makeAccountLink } from '../../../../tenants/people/account-links.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { ownUrl } from '../../../edge/own-url.ts'
import { route } from '../../../define-route.ts'

export const create = route({
  method: 'POST',
  path: '/admin/users/{id}/invitation',
  access: 'admin',
  permission: 'users.write',
  summary: 'Create a link to set a password',
  description:
    'For people who cannot sign in yet: accounts without a password and without an identity of a provider, such as imported accounts. The link works once, for 72 ' +
    'hours, and replaces the one before; the person sets a password with it. It ends if you could not change the account any ' +
    'more. Send it to the person: the gateway sends no mail.',
  replies: {
    201: { description: 'The link.', schema: AccountLink },
    409: { description: 'The user can already sign in, or is a service account.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { id } = request.params
    const link = (token: string) => `${ownUrl(request, services)}/setup#invitation=${token}`
    return await makeAccountLink(id, link, askedBy(request, services.tenants))
  },
})
