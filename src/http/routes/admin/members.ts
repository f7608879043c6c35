import { ChangeMemberRequest, CreateMemberRequest, Member, MemberList } from '../../../contract/admin/members.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  addMember,
  changeMember,
  listMemberships,
  removeMember,
  showMember,
} from '../../../tenants/people/manage-members.ts'
import { uuid } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const FIXED = {
  description: 'This is the last owner, or an identity provider rules the membership.',
  schema: ErrorBody,
}

export const list = route({
  method: 'GET',
  path: '/admin/members',
  access: 'admin',
  permission: 'members.read',
  summary: 'List roles',
  description: 'Who has which role, newest first. Managers see their projects.',
  query: Type.Object({
    project: Type.Optional(Type.String({ maxLength: 200, description: 'Only of this project.' })),
    user: Type.Optional(uuid('Only of this user.')),
    ...paging,
  }),
  replies: { 200: { description: 'A page of memberships.', schema: MemberList } },
  handle: (request, _reply, services) => {
    const { project, user } = request.query
    return listMemberships({ ...pageIn(request.query), project, user }, askedBy(request, services.tenants))
  },
})

export const create = route({
  method: 'POST',
  path: '/admin/members',
  access: 'admin',
  permission: 'members.write',
  summary: 'Give a role to a user',
  description: 'You cannot give a role that can do more than your own. The sessions of the user end.',
  body: CreateMemberRequest,
  replies: {
    201: { description: 'The membership.', schema: Member },
    404: { description: 'There is no such user.', schema: ErrorBody },
    409: { description: 'The user has a role there.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => addMember(request.body.value, askedBy(request, services.tenants)),
})

export const show = route({
  method: 'GET',
  path: '/admin/members/{id}',
  access: 'admin',
  permission: 'members.read',
  summary: 'Get a role',
  replies: { 200: { description: 'The membership.', schema: Member } },
  handle: (request, _reply, services) => showMember(request.params.id, askedBy(request, services.tenants)),
})

export const change = route({
  method: 'PATCH',
  path: '/admin/members/{id}',
  access: 'admin',
  permission: 'members.write',
  summary: 'Change a role',
  description: 'The sessions of the user end, so that the next one has the new rights.',
  body: ChangeMemberRequest,
  replies: { 200: { description: 'The membership as it is now.', schema: Member }, 409: FIXED },
  handle: (request, _reply, services) =>
    changeMember(request.params.id, request.body.value, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/members/{id}',
  access: 'admin',
  permission: 'members.write',
  summary: 'Remove a role',
  description:
    'The keys of the person in the project end with it, in all processes within five seconds, and so do the sessions.',
  replies: { 204: { description: 'Ended.' }, 409: FIXED },
  handle: async (request, _reply, services) => {
    await removeMember(request.params.id, askedBy(request, services.tenants))
  },
})
