import { IdentityLinkBody, IdentityLinkList } from '../../../contract/admin/sign-in.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import Type from '../../../base/schema/type.ts'
import { confirmLink, listLinks, removeLink } from '../../../tenants/sign-in/oidc/links.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const UNKNOWN = { description: 'There is no such entry.', schema: ErrorBody }

export const list = route({
  method: 'GET',
  path: '/admin/identity-links',
  access: 'admin',
  permission: 'identities.confirm',
  summary: 'List pending sign-ins',
  description:
    'A person has signed in with an e-mail address that an account or an invitation here has. The provider does not say that the ' +
    'address was verified, or may not give the roles of that person. Confirm the entry if you know that the address belongs to this person.',
  query: Type.Object(paging),
  replies: { 200: { description: 'A page of entries, newest first.', schema: IdentityLinkList } },
  handle: (request, _reply, services) => listLinks(pageIn(request.query), services.tenants),
})

export const confirm = route({
  method: 'POST',
  path: '/admin/identity-links/{id}/confirm',
  access: 'admin',
  permission: 'identities.confirm',
  summary: 'Confirm a pending sign-in',
  description:
    'Confirms that the identity is the person with that e-mail address. An account with that address is linked at once: it belongs to the identity from now on, and its password and sessions end. ' +
    'An invitation is accepted with the next sign-in of the identity, if it was made before.',
  replies: {
    200: { description: 'The confirmed entry.', schema: IdentityLinkBody },
    404: UNKNOWN,
    409: { description: 'The account is disabled, or belongs to another identity.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => confirmLink(request.params.id, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/identity-links/{id}',
  access: 'admin',
  permission: 'identities.confirm',
  summary: 'Remove a pending sign-in',
  replies: { 204: { description: 'Removed.' }, 404: UNKNOWN },
  handle: async (request, _reply, services) => {
    await removeLink(request.params.id, askedBy(request, services.tenants))
  },
})
