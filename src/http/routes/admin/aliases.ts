import {
  changeAlias,
  createAlias,
  findAlias,
  listAliases,
  removeAlias,
} from '../../../tenants/aliases/manage-aliases.ts'
import { AliasBody, AliasList, ChangeAliasRequest, CreateAliasRequest } from '../../../contract/admin/aliases.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import { paging } from '../../admin/paging.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const OF_FILE = { description: 'The alias is in the config file.', schema: ErrorBody }
const NOT_FOUND = { description: 'There is no such alias.', schema: ErrorBody }
const INVALID = { description: 'The alias is not valid.', schema: ValidationErrorBody }

export const create = route({
  method: 'POST',
  path: '/admin/aliases',
  access: 'admin',
  permission: 'config.write',
  summary: 'Create an alias',
  description: `A name that callers can send as \`model\`. ${EVERYWHERE}`,
  body: CreateAliasRequest,
  replies: {
    201: { description: 'The alias.', schema: AliasBody },
    409: { description: 'An alias with this name exists.', schema: ErrorBody },
    422: INVALID,
  },
  handle: (request, _reply, services) => createAlias(request.body.value, askedBy(request, services.tenants)),
})

export const list = route({
  method: 'GET',
  path: '/admin/aliases',
  access: 'admin',
  permission: 'config.read',
  summary: 'List aliases',
  description: 'Aliases of the config file and of the admin API.',
  query: Type.Object({ ...paging, ...CSV_FORMAT }),
  replies: listReplies('A page of aliases.', AliasList),
  handle: (request, reply, services) => {
    return listOrCsv(request, reply, services.operations, {
      name: 'aliases',
      schema: AliasList,
      read: (page) => listAliases(page, services.tenants),
    })
  },
})

export const one = route({
  method: 'GET',
  path: '/admin/aliases/{alias}',
  greedy: true,
  access: 'admin',
  permission: 'config.read',
  summary: 'Get an alias',
  description: 'The slashes of the name may be plain or encoded.',
  replies: { 200: { description: 'The alias.', schema: AliasBody }, 404: NOT_FOUND },
  handle: (request, _reply, services) => findAlias(request.params.alias, services.tenants),
})

export const change = route({
  method: 'PATCH',
  path: '/admin/aliases/{alias}',
  greedy: true,
  access: 'admin',
  permission: 'config.write',
  summary: 'Change an alias',
  description: `Changes only what the body names; null removes a member. ${EVERYWHERE}`,
  body: ChangeAliasRequest,
  replies: { 200: { description: 'The alias.', schema: AliasBody }, 404: NOT_FOUND, 409: OF_FILE, 422: INVALID },
  handle: (request, _reply, services) =>
    changeAlias(request.params.alias, request.body.value, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/aliases/{alias}',
  greedy: true,
  access: 'admin',
  permission: 'config.write',
  summary: 'Delete an alias',
  description: EVERYWHERE,
  replies: { 204: { description: 'Deleted.' }, 404: NOT_FOUND, 409: OF_FILE },
  handle: async (request, _reply, services) => {
    await removeAlias(request.params.alias, askedBy(request, services.tenants))
  },
})
