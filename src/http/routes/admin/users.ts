import { ChangeUserRequest, CreateUserRequest, User, UserList } from '../../../contract/admin/people.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { purge } from '../../../tenants/projects/purge.ts'
import { changeUser, createUser, listPeople, removeUser, showUser } from '../../../tenants/people/manage-users.ts'
import { words } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import { paging } from '../../admin/paging.ts'

const TAKEN = { description: 'Another user has the e-mail address, or this is the last owner.', schema: ErrorBody }

export const list = route({
  method: 'GET',
  path: '/admin/users',
  access: 'admin',
  permission: 'users.read',
  summary: 'List users',
  description: 'People and service accounts, newest first. Managers see the members of their projects.',
  query: Type.Object({
    kind: Type.Optional(words(['person', 'service'], { description: 'Only these.' })),
    ...paging,
    ...CSV_FORMAT,
  }),
  replies: listReplies('A page of users.', UserList),
  handle: (request, reply, services) => {
    const { kind } = request.query
    return listOrCsv(request, reply, services.operations, {
      name: 'users',
      schema: UserList,
      read: (page) => listPeople({ ...page, kind }, askedBy(request, services.tenants)),
    })
  },
})

export const create = route({
  method: 'POST',
  path: '/admin/users',
  access: 'admin',
  permission: 'users.write',
  summary: 'Create a user',
  description:
    'A service account, or a person who signs in by SSO. You cannot give a role that can do more than your own. A person who is to have a password is invited instead.',
  body: CreateUserRequest,
  replies: { 201: { description: 'The user.', schema: User }, 409: TAKEN },
  handle: (request, _reply, services) => createUser(request.body.value, askedBy(request, services.tenants)),
})

export const show = route({
  method: 'GET',
  path: '/admin/users/{id}',
  access: 'admin',
  permission: 'users.read',
  summary: 'Get a user',
  replies: { 200: { description: 'The user.', schema: User } },
  handle: (request, _reply, services) => showUser(request.params.id, askedBy(request, services.tenants)),
})

export const change = route({
  method: 'PATCH',
  path: '/admin/users/{id}',
  access: 'admin',
  permission: 'users.write',
  summary: 'Change a user',
  description:
    'Disabling ends the sessions and the tokens of the user at once, and revokes the keys of the user in all processes within ' +
    'five seconds. The last owner cannot be disabled.',
  body: ChangeUserRequest,
  replies: { 200: { description: 'The user as it is now.', schema: User }, 409: TAKEN },
  handle: (request, _reply, services) =>
    changeUser(request.params.id, request.body.value, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/users/{id}',
  access: 'admin',
  permission: 'users.write',
  summary: 'Delete a user',
  description:
    'Memberships, sessions, tokens and keys end with the user, and what they have stored in the playground. The last owner cannot be deleted.',
  replies: { 204: { description: 'Deleted.' }, 409: TAKEN },
  handle: async (request, _reply, services) => {
    await removeUser(request.params.id, askedBy(request, services.tenants))
    await purge('deleted people', services.tenants)
  },
})
