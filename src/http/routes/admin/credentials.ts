import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ChangeCredentialRequest,
  CreateCredentialRequest,
  CredentialList,
  NamedCredential,
} from '../../../contract/admin/credentials.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { listNamedCredentials } from '../../../credentials/list-credentials.ts'
import { changeCredential, createCredential, removeCredential } from '../../../credentials/manage-credentials.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { readText } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { pageIn, paging } from './query/paging.ts'

const MAX_PROVIDER_CHARS = 100
const APPLIES = 'It applies to new calls here at once, and in every other process within five seconds.'
const TAKEN = {
  description: 'The provider has another credential of that name, or an alias is bound to this one.',
  schema: ErrorBody,
}
const BOUND = { description: 'An alias is bound to the credential.', schema: ErrorBody }
const UNKNOWN = { description: 'There is no such stored credential.', schema: ErrorBody }

export const list: Route = {
  method: 'GET',
  path: '/admin/credentials',
  access: 'admin',
  permission: 'config.read',
  summary: 'Credentials at providers, without their secrets',
  description: 'Those of the environment, of files and of the machine are listed too; they cannot be changed here.',
  query: Type.Object({
    provider: Type.Optional(Type.String({ description: 'Only credentials of this provider.' })),
    ...paging,
  }),
  replies: { 200: { description: 'A page of credentials.', schema: CredentialList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { provider } = request.query as Record<string, string | undefined>
    const wanted = readText('provider', provider, MAX_PROVIDER_CHARS)
    return listNamedCredentials({ ...pageIn(request), provider: wanted }, context)
  },
}

export const create: Route = {
  method: 'POST',
  path: '/admin/credentials',
  access: 'admin',
  permission: 'config.write',
  summary: 'Store a credential',
  description: `The secret is encrypted with GATEHOUSE_ENCRYPTION_KEY and never shown again. ${APPLIES}`,
  body: CreateCredentialRequest,
  replies: { 201: { description: 'The credential.', schema: NamedCredential }, 409: TAKEN },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply
      .code(201)
      .send(await createCredential(value as CreateCredentialRequest, peopleContext(request, context)))
  },
}

export const change: Route = {
  method: 'PATCH',
  path: '/admin/credentials/{id}',
  access: 'admin',
  permission: 'config.write',
  summary: 'Change a stored credential',
  description: `Only the members that the body names change. ${APPLIES}`,
  body: ChangeCredentialRequest,
  replies: { 200: { description: 'The credential.', schema: NamedCredential }, 404: UNKNOWN, 409: TAKEN },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return changeCredential(
      (request.params as { id: string }).id,
      value as ChangeCredentialRequest,
      peopleContext(request, context),
    )
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/credentials/{id}',
  access: 'admin',
  permission: 'config.write',
  summary: 'Remove a stored credential',
  description: `Calls that have begun go on with it. ${APPLIES}`,
  replies: { 204: { description: 'Removed.' }, 404: UNKNOWN, 409: BOUND },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await removeCredential((request.params as { id: string }).id, peopleContext(request, context))
    return reply.code(204).send()
  },
}
