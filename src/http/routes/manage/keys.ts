import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  ChangeManagedKeyRequest,
  CreatedManagedKey,
  CreateManagedKeyRequest,
  ManagedKey,
  ManagedKeyList,
  RotatedManagedKey,
} from '../../../contract/manage/keys.ts'
import { NUMBERED_PAGE, numberedPage } from '../../../contract/manage/paging.ts'
import {
  changeManagedKey,
  createManagedKey,
  listManagedKeys,
  revokeManagedKey,
  rotateManagedKey,
  showManagedKey,
} from '../../../money/managed/managed-keys.ts'
import { route } from '../../define-route.ts'
import { manageIsOn, managed, withNeighbours } from './managed.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within five seconds.'
const TAKEN = { description: 'Another active key of the project has this name.', schema: ErrorBody }

export const create = route({
  method: 'POST',
  path: '/v3/manage/keys',
  access: 'manage',
  manages: 'manage:write',
  isOn: manageIsOn,
  summary: 'Create a client key',
  description:
    'The answer is the only place where the key itself is ever shown. Its balance is a budget, which operators see among all budgets.',
  body: CreateManagedKeyRequest,
  replies: { 201: { description: 'The key.', schema: CreatedManagedKey }, 409: TAKEN },
  handle: async (request, _reply, services) => {
    return await createManagedKey(request.body.value, managed(request, services))
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/manage/keys',
  access: 'manage',
  manages: 'manage:read',
  isOn: manageIsOn,
  summary: 'List client keys',
  description: 'Newest first, also revoked ones, without their secrets.',
  query: Type.Object(NUMBERED_PAGE, closed),
  replies: { 200: { description: 'A page of keys.', schema: ManagedKeyList } },
  handle: async (request, _reply, services) => {
    const page = numberedPage(request.query)
    return withNeighbours(await listManagedKeys(page, managed(request, services)), page, request, services)
  },
})

export const show = route({
  method: 'GET',
  path: '/v3/manage/keys/{id}',
  access: 'manage',
  manages: 'manage:read',
  isOn: manageIsOn,
  summary: 'Get a client key',
  description: 'Without its secret.',
  replies: { 200: { description: 'The key.', schema: ManagedKey } },
  handle: (request, _reply, services) => showManagedKey(request.params.id, managed(request, services)),
})

export const change = route({
  method: 'PATCH',
  path: '/v3/manage/keys/{id}',
  access: 'manage',
  manages: 'manage:write',
  isOn: manageIsOn,
  summary: 'Change a client key',
  description: EVERYWHERE,
  body: ChangeManagedKeyRequest,
  replies: {
    200: { description: 'The key as it is now.', schema: ManagedKey },
    409: { description: 'The key is revoked, or another active key of the project has the name.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    return changeManagedKey(request.params.id, request.body.value, managed(request, services))
  },
})

export const rotate = route({
  method: 'POST',
  path: '/v3/manage/keys/{id}/rotate',
  access: 'manage',
  manages: 'manage:write',
  isOn: manageIsOn,
  summary: 'Rotate the secret of a client key',
  description:
    'The key keeps its id, its name and its balance. The secret before is refused at once. A revoked key is a 404.',
  replies: { 200: { description: 'The new secret.', schema: RotatedManagedKey } },
  handle: (request, _reply, services) => rotateManagedKey(request.params.id, managed(request, services)),
})

export const revoke = route({
  method: 'DELETE',
  path: '/v3/manage/keys/{id}',
  access: 'manage',
  manages: 'manage:write',
  isOn: manageIsOn,
  summary: 'Revoke a client key',
  description: `For good. It stays in the list. ${EVERYWHERE}`,
  replies: { 200: { description: 'The revoked key.', schema: ManagedKey } },
  handle: (request, _reply, services) => revokeManagedKey(request.params.id, managed(request, services)),
})
