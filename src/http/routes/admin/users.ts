import type { FastifyReply, FastifyRequest } from 'fastify'
import { ChangeUserRequest, CreateUserRequest, User, UserList } from '../../../contract/admin/people.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { purge } from '../../../projects/purge.ts'
import { changeUser, createUser, listPeople, removeUser, showUser } from '../../../people/manage-users.ts'
import { words } from '../../../schema/fields.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies, type PageQuery } from '../../export/list-or-csv.ts'
import { readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from '../../admin/paging.ts'

const KINDS = ['person', 'service'] as const
const TAKEN = { description: 'Another user has the e-mail address, or this is the last owner.', schema: ErrorBody }

export const list: Route = {
  method: 'GET',
  path: '/admin/users',
  access: 'admin',
  permission: 'users.read',
  summary: 'People and service accounts, newest first',
  description: 'Managers see the members of their projects.',
  query: Type.Object({
    kind: Type.Optional(words([...KINDS], { description: 'Only these.' })),
    ...paging,
    ...CSV_FORMAT,
  }),
  replies: listReplies('A page of users.', UserList),
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { kind } = request.query as Record<string, string | undefined>
    const wanted = kind === undefined ? undefined : readWord('kind', kind, KINDS, 'person')
    const read = (page: PageQuery) => listPeople({ ...page, kind: wanted }, peopleContext(request, context))
    return listOrCsv(request, reply, context, { name: 'users', schema: UserList, read })
  },
}

export const create: Route = {
  method: 'POST',
  path: '/admin/users',
  access: 'admin',
  permission: 'users.write',
  summary: 'Create a service account, or a person who signs in by SSO',
  description:
    'Nobody can give a role that can do more than their own. A person who is to have a password is invited instead.',
  body: CreateUserRequest,
  replies: { 201: { description: 'The user.', schema: User }, 409: TAKEN },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply.code(201).send(await createUser(value as CreateUserRequest, peopleContext(request, context)))
  },
}

export const show: Route = {
  method: 'GET',
  path: '/admin/users/{id}',
  access: 'admin',
  permission: 'users.read',
  summary: 'One user',
  replies: { 200: { description: 'The user.', schema: User } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showUser(idIn(request), peopleContext(request, context)),
}

export const change: Route = {
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
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return changeUser(idIn(request), value as ChangeUserRequest, peopleContext(request, context))
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/users/{id}',
  access: 'admin',
  permission: 'users.write',
  summary: 'Delete a user',
  description:
    'Memberships, sessions, tokens and keys end with the user, and what they have stored in the playground. The last owner cannot be deleted.',
  replies: { 204: { description: 'Deleted.' }, 409: TAKEN },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await removeUser(idIn(request), peopleContext(request, context))
    await purge('deleted people', context)
    return reply.code(204).send()
  },
}

function idIn({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}
