import type { FastifyReply, FastifyRequest } from 'fastify'
import { changeAlias, createAlias, findAlias, listAliases, removeAlias } from '../../../aliases/manage-aliases.ts'
import { AliasBody, AliasList, ChangeAliasRequest, CreateAliasRequest } from '../../../contract/admin/aliases.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies, type PageQuery } from '../../export/list-or-csv.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from '../../admin/paging.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const OF_FILE = { description: 'The alias is in the config file.', schema: ErrorBody }
const NOT_FOUND = { description: 'There is no such alias.', schema: ErrorBody }
const INVALID = { description: 'The alias is not valid.', schema: ValidationErrorBody }

export const create: Route = {
  method: 'POST',
  path: '/admin/aliases',
  access: 'admin',
  permission: 'config.write',
  summary: 'Create an alias',
  description: `A name that callers can send as \`model\`. ${EVERYWHERE}`,
  body: CreateAliasRequest,
  replies: {
    201: { description: 'The alias.', schema: AliasBody },
    409: { description: 'There is an alias of this name.', schema: ErrorBody },
    422: INVALID,
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply.code(201).send(await createAlias(value as CreateAliasRequest, peopleContext(request, context)))
  },
}

export const list: Route = {
  method: 'GET',
  path: '/admin/aliases',
  access: 'admin',
  permission: 'config.read',
  summary: 'Aliases of the config file and of the admin API',
  query: Type.Object({ ...paging, ...CSV_FORMAT }),
  replies: listReplies('A page of aliases.', AliasList),
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const read = async (page: PageQuery) => await listAliases(page, context)
    return listOrCsv(request, reply, context, { name: 'aliases', schema: AliasList, read })
  },
}

export const one: Route = {
  method: 'GET',
  path: '/admin/aliases/{alias}',
  greedy: true,
  access: 'admin',
  permission: 'config.read',
  summary: 'One alias',
  description: 'The slashes of the name may be plain or encoded.',
  replies: { 200: { description: 'The alias.', schema: AliasBody }, 404: NOT_FOUND },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    findAlias(nameIn(request), context),
}

export const change: Route = {
  method: 'PATCH',
  path: '/admin/aliases/{alias}',
  greedy: true,
  access: 'admin',
  permission: 'config.write',
  summary: 'Change an alias',
  description: `Changes only what the body names; null removes a member. ${EVERYWHERE}`,
  body: ChangeAliasRequest,
  replies: { 200: { description: 'The alias.', schema: AliasBody }, 404: NOT_FOUND, 409: OF_FILE, 422: INVALID },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return changeAlias(nameIn(request), value as ChangeAliasRequest, peopleContext(request, context))
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/aliases/{alias}',
  greedy: true,
  access: 'admin',
  permission: 'config.write',
  summary: 'Delete an alias',
  description: EVERYWHERE,
  replies: { 204: { description: 'Deleted.' }, 404: NOT_FOUND, 409: OF_FILE },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await removeAlias(nameIn(request), peopleContext(request, context))
    return reply.code(204).send()
  },
}

function nameIn(request: FastifyRequest): string {
  return (request.params as { '*': string })['*']
}
