import { AdminTokenList, CreatedAdminToken, CreateTokenRequest } from '../../../../contract/admin/people.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { createAdminToken, listAdminTokens, revokeAdminToken } from '../../../../tenants/people/manage-tokens.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'

const PERSON = { description: 'The user is a person, or the account has too many tokens.', schema: ErrorBody }

export const list = route({
  method: 'GET',
  path: '/admin/users/{id}/tokens',
  access: 'admin',
  permission: 'users.write',
  summary: 'List tokens of a service account',
  description: 'Without their secrets.',
  replies: { 200: { description: 'The tokens.', schema: AdminTokenList }, 409: PERSON },
  handle: (request, _reply, services) => listAdminTokens(request.params.id, askedBy(request, services.tenants)),
})

export const create = route({
  method: 'POST',
  path: '/admin/users/{id}/tokens',
  access: 'admin',
  permission: 'users.write',
  summary: 'Create a token for a service account',
  description:
    'It has the roles of the account, on the admin listener only. The answer is the only place where it is shown.',
  body: CreateTokenRequest,
  replies: { 201: { description: 'The token.', schema: CreatedAdminToken }, 409: PERSON },
  handle: async (request, _reply, services) => {
    const body = request.body.value
    return await createAdminToken(request.params.id, body, askedBy(request, services.tenants))
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/users/{id}/tokens/{token_id}',
  access: 'admin',
  permission: 'users.write',
  summary: 'Revoke a token',
  description: 'It is refused by all processes at once.',
  replies: { 204: { description: 'Revoked.' } },
  handle: async (request, _reply, services) => {
    const { id, token_id } = request.params
    await revokeAdminToken(id, token_id, askedBy(request, services.tenants))
  },
})
