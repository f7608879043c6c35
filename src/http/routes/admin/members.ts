import type { FastifyReply, FastifyRequest } from 'fastify'
import { ChangeMemberRequest, CreateMemberRequest, Member, MemberList } from '../../../contract/admin/members.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { addMember, changeMember, listMemberships, removeMember, showMember } from '../../../people/manage-members.ts'
import { uuid } from '../../../schema/fields.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { readText, readUuid } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const MAX_PROJECT_CHARS = 200
const FIXED = {
  description: 'This is the last owner, or an identity provider rules the membership.',
  schema: ErrorBody,
}

export const list: Route = {
  method: 'GET',
  path: '/admin/members',
  access: 'admin',
  permission: 'members.read',
  summary: 'Who has which role, newest first',
  description: 'Managers see their projects.',
  query: Type.Object({
    project: Type.Optional(Type.String({ description: 'Only of this project.' })),
    user: Type.Optional(uuid('Only of this user.')),
    ...paging,
  }),
  replies: { 200: { description: 'A page of memberships.', schema: MemberList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { project, user } = request.query as Record<string, string | undefined>
    const filter = { project: readText('project', project, MAX_PROJECT_CHARS), user: readUuid('user', user) }
    return listMemberships({ ...pageIn(request), ...filter }, peopleContext(request, context))
  },
}

export const create: Route = {
  method: 'POST',
  path: '/admin/members',
  access: 'admin',
  permission: 'members.write',
  summary: 'Give a role to a user',
  description: 'Nobody can give a role that can do more than their own. The sessions of the user end.',
  body: CreateMemberRequest,
  replies: {
    201: { description: 'The membership.', schema: Member },
    404: { description: 'There is no such user.', schema: ErrorBody },
    409: { description: 'The user has a role there.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply.code(201).send(await addMember(value as CreateMemberRequest, peopleContext(request, context)))
  },
}

export const show: Route = {
  method: 'GET',
  path: '/admin/members/{id}',
  access: 'admin',
  permission: 'members.read',
  summary: 'One membership',
  replies: { 200: { description: 'The membership.', schema: Member } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showMember(idIn(request), peopleContext(request, context)),
}

export const change: Route = {
  method: 'PATCH',
  path: '/admin/members/{id}',
  access: 'admin',
  permission: 'members.write',
  summary: 'Change a role',
  description: 'The sessions of the user end, so that the next one has the new rights.',
  body: ChangeMemberRequest,
  replies: { 200: { description: 'The membership as it is now.', schema: Member }, 409: FIXED },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return changeMember(idIn(request), value as ChangeMemberRequest, peopleContext(request, context))
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/members/{id}',
  access: 'admin',
  permission: 'members.write',
  summary: 'End a membership',
  description:
    'The keys of the person in the project end with it, in all processes within five seconds, and so do the sessions.',
  replies: { 204: { description: 'Ended.' }, 409: FIXED },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await removeMember(idIn(request), peopleContext(request, context))
    return reply.code(204).send()
  },
}

function idIn({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}
