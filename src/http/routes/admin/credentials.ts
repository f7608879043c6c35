import {
  ChangeCredentialRequest,
  CreateCredentialRequest,
  CredentialList,
  NamedCredential,
} from '../../../contract/admin/credentials.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { listNamedCredentials } from '../../../tenants/credentials/list-credentials.ts'
import {
  changeCredential,
  createCredential,
  removeCredential,
} from '../../../tenants/credentials/manage-credentials.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const APPLIES = 'It applies to new calls here at once, and in every other process within five seconds.'
const TAKEN = {
  description: 'The provider has another credential of that name, or an alias is bound to this one.',
  schema: ErrorBody,
}
const BOUND = { description: 'An alias is bound to the credential.', schema: ErrorBody }
const UNKNOWN = { description: 'There is no such stored credential.', schema: ErrorBody }

export const list = route({
  method: 'GET',
  path: '/admin/credentials',
  access: 'admin',
  permission: 'config.read',
  summary: 'List provider credentials',
  description:
    'Without their secrets. The list includes credentials of the environment, of files and of the machine, which cannot be changed here.',
  query: Type.Object({
    provider: Type.Optional(Type.String({ maxLength: 100, description: 'Only credentials of this provider.' })),
    ...paging,
  }),
  replies: { 200: { description: 'A page of credentials.', schema: CredentialList } },
  handle: ({ query }, _reply, services) =>
    listNamedCredentials({ ...pageIn(query), provider: query.provider }, services.tenants),
})

export const create = route({
  method: 'POST',
  path: '/admin/credentials',
  access: 'admin',
  permission: 'config.write',
  summary: 'Add a provider credential',
  description: `The secret is encrypted with GATEHOUSE_ENCRYPTION_KEY and never shown again. ${APPLIES}`,
  body: CreateCredentialRequest,
  replies: { 201: { description: 'The credential.', schema: NamedCredential }, 409: TAKEN },
  handle: (request, _reply, services) => createCredential(request.body.value, askedBy(request, services.tenants)),
})

export const change = route({
  method: 'PATCH',
  path: '/admin/credentials/{id}',
  access: 'admin',
  permission: 'config.write',
  summary: 'Change a provider credential',
  description: `Only the members that the body names change. ${APPLIES}`,
  body: ChangeCredentialRequest,
  replies: { 200: { description: 'The credential.', schema: NamedCredential }, 404: UNKNOWN, 409: TAKEN },
  handle: (request, _reply, services) =>
    changeCredential(request.params.id, request.body.value, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/credentials/{id}',
  access: 'admin',
  permission: 'config.write',
  summary: 'Remove a provider credential',
  description: `Requests in progress still use it. ${APPLIES}`,
  replies: { 204: { description: 'Removed.' }, 404: UNKNOWN, 409: BOUND },
  handle: async (request, _reply, services) => {
    await removeCredential(request.params.id, askedBy(request, services.tenants))
  },
})
