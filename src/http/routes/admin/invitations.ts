import {
  CreatedInvitation,
  CreateInvitationRequest,
  Invitation,
  InvitationList,
} from '../../../contract/admin/members.ts'
import { invite, listInvited, removeInvitation, showInvitation } from '../../../tenants/people/invite.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { ownUrl } from '../../edge/own-url.ts'
import { route } from '../../define-route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

export const create = route({
  method: 'POST',
  path: '/admin/invitations',
  access: 'admin',
  permission: 'members.write',
  summary: 'Invite a person',
  description:
    'The answer has a link that can be used once, for this e-mail address. Send it to the person: the gateway sends no mail. ' +
    'The link ends if you lose your role.',
  body: CreateInvitationRequest,
  replies: { 201: { description: 'The invitation with its link.', schema: CreatedInvitation } },
  handle: async (request, _reply, services) => {
    const body = request.body.value
    const link = (token: string) => `${ownUrl(request, services)}/setup#invitation=${token}`
    return await invite(body, link, askedBy(request, services.tenants))
  },
})

export const list = route({
  method: 'GET',
  path: '/admin/invitations',
  access: 'admin',
  permission: 'members.read',
  summary: 'List invitations',
  description: 'Newest first, without their links.',
  query: Type.Object(paging),
  replies: { 200: { description: 'A page of invitations.', schema: InvitationList } },
  handle: (request, _reply, services) => listInvited(pageIn(request.query), askedBy(request, services.tenants)),
})

export const show = route({
  method: 'GET',
  path: '/admin/invitations/{id}',
  access: 'admin',
  permission: 'members.read',
  summary: 'Get an invitation',
  replies: { 200: { description: 'The invitation.', schema: Invitation } },
  handle: (request, _reply, services) => showInvitation(request.params.id, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/invitations/{id}',
  access: 'admin',
  permission: 'members.write',
  summary: 'Withdraw an invitation',
  replies: { 204: { description: 'The link no longer works.' } },
  handle: async (request, _reply, services) => {
    await removeInvitation(request.params.id, askedBy(request, services.tenants))
  },
})
