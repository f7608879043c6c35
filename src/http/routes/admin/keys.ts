import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { RecordKeyRequest } from '../../../contract/admin/content.ts'
import { BulkResult } from '../../../contract/admin/bulk.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  BulkKeysRequest,
  CreatedKey,
  CreateKeyRequest,
  KEY_FILTERS,
  KeyList,
  KeySummary,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '../../../contract/admin/keys.ts'
import {
  issueKeyAs,
  listKeysAs,
  recordKeyAs,
  revokeKeyAs,
  rotateKeyAs,
  showKeyAs,
  updateKeyAs,
} from '../../../tenants/access/manage-keys.ts'
import { revokeAllAs } from '../../../tenants/access/revoke-all.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import { paging } from '../../admin/paging.ts'

export const create = route({
  method: 'POST',
  path: '/admin/keys',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Create a key',
  description: 'The answer is the only place where the key itself is ever shown.',
  body: CreateKeyRequest,
  replies: { 201: { description: 'The key.', schema: CreatedKey } },
  handle: async (request, _reply, services) => {
    return await issueKeyAs(request.body.value, askedBy(request, services.tenants))
  },
})

export const list = route({
  method: 'GET',
  path: '/admin/keys',
  access: 'admin',
  permission: 'keys.read',
  summary: 'List keys',
  description: 'Newest first, without their secrets.',
  query: Type.Object({ ...KEY_FILTERS, ...paging, ...CSV_FORMAT }, closed),
  replies: listReplies('A page of keys.', KeyList),
  handle: (request, reply, services) => {
    const { format: _, limit: __, cursor: ___, ...filter } = request.query
    return listOrCsv(request, reply, services.operations, {
      name: 'keys',
      schema: KeyList,
      read: (page) => listKeysAs({ ...filter, ...page }, askedBy(request, services.tenants)),
    })
  },
})

export const bulk = route({
  method: 'POST',
  path: '/admin/keys/bulk',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Revoke many keys',
  description:
    'Acts on all keys that match the filter, that are not revoked yet and that you may change, but never on admin keys. First ' +
    'send the request without `expected_count`: the answer says how many keys that are. With it, the number has to be the same; ' +
    'otherwise the answer is 409 with the new `count`, and nothing is done.',
  body: BulkKeysRequest,
  replies: {
    200: { description: 'What was done.', schema: BulkResult },
    409: { description: 'The number has changed since you confirmed it.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { filter, expected_count: expected } = request.body.value
    return revokeAllAs({ filter, expected }, askedBy(request, services.tenants))
  },
})

export const show = route({
  method: 'GET',
  path: '/admin/keys/{id}',
  access: 'admin',
  permission: 'keys.read',
  summary: 'Get a key',
  description: 'Without its secret.',
  replies: { 200: { description: 'The key.', schema: KeySummary } },
  handle: (request, _reply, services) => showKeyAs(request.params.id, askedBy(request, services.tenants)),
})

export const update = route({
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
  handle: (request, _reply, services) => {
    return updateKeyAs(request.params.id, request.body.value, askedBy(request, services.tenants))
  },
})

export const rotate = route({
  method: 'POST',
  path: '/admin/keys/{id}/rotate',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Rotate the secret of a key',
  description:
    'The key keeps its id and its usage, and its project and its user unless the body names others. Earlier secrets are valid for `overlap_seconds` more, in all processes. ' +
    'The answer is the only place where the new secret is shown. The gateway refuses (403) a new secret that would give access to content which you may not read.',
  body: RotateKeyRequest,
  replies: {
    200: { description: 'The key with its new secret.', schema: CreatedKey },
    409: { description: 'The key is revoked.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    return rotateKeyAs(request.params.id, request.body.value, askedBy(request, services.tenants))
  },
})

export const record = route({
  method: 'POST',
  path: '/admin/keys/{id}/record',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Record requests of a key',
  description:
    'Keeps the content of its next requests for a day, for debugging, also if its project keeps none. Every request counts in ' +
    'all processes together. `store: false` and a data policy without retention win.',
  body: RecordKeyRequest,
  replies: {
    200: { description: 'The key, with what is left to record.', schema: KeySummary },
    409: { description: 'The key is revoked.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const key = await recordKeyAs(request.params.id, request.body.value, askedBy(request, services.tenants))
    await services.tenants.contents.refresh()
    return key
  },
})

export const revoke = route({
  method: 'DELETE',
  path: '/admin/keys/{id}',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Revoke a key',
  description: 'Takes effect here at once and in every other process within five seconds.',
  replies: { 204: { description: 'Revoked.' } },
  handle: async (request, _reply, services) => {
    await revokeKeyAs(request.params.id, askedBy(request, services.tenants))
  },
})
