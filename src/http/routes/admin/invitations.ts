import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CreatedInvitation,
  CreateInvitationRequest,
  Invitation,
  InvitationList,
} from '../../../contract/admin/members.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { invite, listInvited, removeInvitation, showInvitation } from '../../../people/invite.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { ownUrl } from '../../edge/own-url.ts'
import type { HttpServices, Route } from '../../services.ts'
import { pageIn, paging } from '../../admin/paging.ts'

export const create: Route = {
  method: 'POST',
  path: '/admin/invitations',
  access: 'admin',
  permission: 'members.write',
  summary: 'Invite a person',
  description:
    'The answer has a link that can be used once, for this e-mail address. Send it to the person: the gateway sends no mail. ' +
    'It ends if you lose your role.',
  body: CreateInvitationRequest,
  replies: { 201: { description: 'The invitation with its link.', schema: CreatedInvitation } },
  handle: async (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const body = (request.body as JsonBody).value as CreateInvitationRequest
    const link = (token: string) => `${ownUrl(request, services)}/setup#invitation=${token}`
    return reply.code(201).send(await invite(body, link, peopleContext(request, services.context)))
  },
}

export const list: Route = {
  method: 'GET',
  path: '/admin/invitations',
  access: 'admin',
  permission: 'members.read',
  summary: 'Invitations, newest first, without their links',
  query: Type.Object(paging),
  replies: { 200: { description: 'A page of invitations.', schema: InvitationList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    listInvited(pageIn(request), peopleContext(request, context)),
}

export const show: Route = {
  method: 'GET',
  path: '/admin/invitations/{id}',
  access: 'admin',
  permission: 'members.read',
  summary: 'One invitation',
  replies: { 200: { description: 'The invitation.', schema: Invitation } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showInvitation(idIn(request), peopleContext(request, context)),
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/invitations/{id}',
  access: 'admin',
  permission: 'members.write',
  summary: 'Withdraw an invitation',
  replies: { 204: { description: 'It cannot be used any more.' } },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await removeInvitation(idIn(request), peopleContext(request, context))
    return reply.code(204).send()
  },
}

function idIn({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}
