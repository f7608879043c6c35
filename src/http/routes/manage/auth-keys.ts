import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { AuthKeyList, CreateAuthKeyRequest, CreatedAuthKey, ManagementIdentity } from '../../../contract/manage/keys.ts'
import { NUMBERED_PAGE, numberedPage } from '../../../contract/manage/paging.ts'
import { listAuthKeys, mintAuthKey, revokeAuthKey } from '../../../tenants/people/management-keys.ts'
import { isoOf } from '../../../tenants/people/people-services.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { manageIsOn, withNeighbours } from './managed.ts'

const MINT = { access: 'manage', manages: 'manage:mint', isOn: manageIsOn } as const

export const create = route({
  method: 'POST',
  path: '/v3/manage/auth-keys',
  ...MINT,
  summary: 'Create a management key',
  description:
    'With a key that has the scope `manage:mint`. The new key has the roles of the same service account, and cannot make others. The ' +
    'answer is the only place where it is shown.',
  body: CreateAuthKeyRequest,
  replies: {
    201: { description: 'The key.', schema: CreatedAuthKey },
    409: { description: 'The service account has too many keys.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    return await mintAuthKey(request.body.value, askedBy(request, services.tenants))
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/manage/auth-keys',
  ...MINT,
  summary: 'List management keys',
  description: 'Those of the same service account, newest first, without their secrets.',
  query: Type.Object(NUMBERED_PAGE, closed),
  replies: { 200: { description: 'A page of keys.', schema: AuthKeyList } },
  handle: async (request, _reply, services) => {
    const page = numberedPage(request.query)
    const all = await listAuthKeys(askedBy(request, services.tenants))
    const results = all.slice(page.offset, page.offset + page.limit)
    return withNeighbours({ results, total_count: all.length }, page, request, services)
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/v3/manage/auth-keys/{id}',
  ...MINT,
  summary: 'Revoke a management key',
  description:
    'It is refused at once by all processes. A key that makes keys is revoked on the admin listener instead.',
  replies: { 204: { description: 'Revoked.' } },
  handle: async (request, _reply, services) => {
    await revokeAuthKey(request.params.id, askedBy(request, services.tenants))
  },
})

export const whoami = route({
  method: 'GET',
  path: '/v3/manage/whoami',
  access: 'manage',
  manages: 'self',
  isOn: manageIsOn,
  summary: 'Show the management key that asks',
  description: 'Any management key may ask.',
  replies: { 200: { description: 'The key.', schema: ManagementIdentity } },
  handle: ({ managementKey: { token, organization } }) => {
    const { id, name, scopes, expiresAt } = token
    return { id, name, organization, scopes: [...scopes], expire_time: isoOf(expiresAt) }
  },
})
