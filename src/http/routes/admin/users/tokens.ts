import type { FastifyReply, FastifyRequest } from 'fastify'
import { AdminTokenList, CreatedAdminToken, CreateTokenRequest } from '../../../../contract/admin/people.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import type { JsonBody } from '../../../../json/parse-body.ts'
import { createAdminToken, listAdminTokens, revokeAdminToken } from '../../../../people/manage-tokens.ts'
import { peopleContext } from '../../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../../services.ts'

const PERSON = { description: 'The user is a person, or the account has too many tokens.', schema: ErrorBody }

export const list: Route = {
  method: 'GET',
  path: '/admin/users/{id}/tokens',
  access: 'admin',
  permission: 'users.write',
  summary: 'Tokens of a service account, without their secrets',
  replies: { 200: { description: 'The tokens.', schema: AdminTokenList }, 409: PERSON },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    listAdminTokens(paramsOf(request).id, peopleContext(request, context)),
}

export const create: Route = {
  method: 'POST',
  path: '/admin/users/{id}/tokens',
  access: 'admin',
  permission: 'users.write',
  summary: 'Create a token for a service account',
  description:
    'It has the roles of the account, on the admin listener only. The answer is the only place where it is shown.',
  body: CreateTokenRequest,
  replies: { 201: { description: 'The token.', schema: CreatedAdminToken }, 409: PERSON },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const body = (request.body as JsonBody).value as CreateTokenRequest
    return reply.code(201).send(await createAdminToken(paramsOf(request).id, body, peopleContext(request, context)))
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/users/{id}/tokens/{token_id}',
  access: 'admin',
  permission: 'users.write',
  summary: 'Revoke a token',
  description: 'It is refused by all processes at once.',
  replies: { 204: { description: 'Revoked.' } },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { id, token_id } = paramsOf(request)
    await revokeAdminToken(id, token_id, peopleContext(request, context))
    return reply.code(204).send()
  },
}

function paramsOf({ params }: FastifyRequest): { id: string; token_id: string } {
  return params as { id: string; token_id: string }
}
