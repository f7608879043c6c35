import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../schema/type.ts'
import { RecordKeyRequest } from '../../../contract/admin/content.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  CreatedKey,
  CreateKeyRequest,
  KeyList,
  KeySummary,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '../../../contract/keys.ts'
import {
  issueKeyAs,
  listKeysAs,
  recordKeyAs,
  revokeKeyAs,
  rotateKeyAs,
  showKeyAs,
  updateKeyAs,
} from '../../../access/key-rights.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies, type PageQuery } from '../../export/list-or-csv.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from '../../admin/paging.ts'

export const create: Route = {
  method: 'POST',
  path: '/admin/keys',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Issue a key',
  description: 'The answer is the only place where the key itself is ever shown.',
  body: CreateKeyRequest,
  replies: { 201: { description: 'The key.', schema: CreatedKey } },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply.code(201).send(await issueKeyAs(value as CreateKeyRequest, peopleContext(request, context)))
  },
}

export const list: Route = {
  method: 'GET',
  path: '/admin/keys',
  access: 'admin',
  permission: 'keys.read',
  summary: 'Keys, newest first, without their secrets',
  query: Type.Object({ ...paging, ...CSV_FORMAT }),
  replies: listReplies('A page of keys.', KeyList),
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const read = (page: PageQuery) => listKeysAs(page, peopleContext(request, context))
    return listOrCsv(request, reply, context, { name: 'keys', schema: KeyList, read })
  },
}

export const show: Route = {
  method: 'GET',
  path: '/admin/keys/{id}',
  access: 'admin',
  permission: 'keys.read',
  summary: 'One key, without its secret',
  replies: { 200: { description: 'The key.', schema: KeySummary } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showKeyAs(idIn(request), peopleContext(request, context)),
}

export const update: Route = {
  method: 'PATCH',
  path: '/admin/keys/{id}',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Change a key',
  description: 'Takes effect here at once and in every other process within five seconds.',
  body: UpdateKeyRequest,
  replies: {
    200: { description: 'The key as it is now.', schema: KeySummary },
    409: { description: 'The key is revoked.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return updateKeyAs(idIn(request), value as UpdateKeyRequest, peopleContext(request, context))
  },
}

export const rotate: Route = {
  method: 'POST',
  path: '/admin/keys/{id}/rotate',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Give a key another secret',
  description:
    'The key keeps its id and its usage, and its project and its user unless the body names others. Earlier secrets are valid for `overlap_seconds` more, in all processes. ' +
    'The answer is the only place where the new secret is shown.',
  body: RotateKeyRequest,
  replies: {
    200: { description: 'The key with its new secret.', schema: CreatedKey },
    409: { description: 'The key is revoked.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return rotateKeyAs(idIn(request), value as RotateKeyRequest, peopleContext(request, context))
  },
}

export const record: Route = {
  method: 'POST',
  path: '/admin/keys/{id}/record',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Record the next requests of a key',
  description:
    'Keeps the content of its next requests for a day, for debugging, also if its project keeps none. Every request counts in ' +
    'all processes together. `store: false` and a data policy without retention win.',
  body: RecordKeyRequest,
  replies: {
    200: { description: 'The key, with what is left to record.', schema: KeySummary },
    409: { description: 'The key is revoked.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    const key = await recordKeyAs(idIn(request), value as RecordKeyRequest, peopleContext(request, context))
    await context.contents.refresh()
    return key
  },
}

export const revoke: Route = {
  method: 'DELETE',
  path: '/admin/keys/{id}',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Revoke a key',
  description: 'Takes effect here at once and in every other process within five seconds.',
  replies: { 204: { description: 'Revoked.' } },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await revokeKeyAs(idIn(request), peopleContext(request, context))
    return reply.code(204).send()
  },
}

function idIn({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}
