import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, mayUseEndpoint } from '../../../../access/caller.ts'
import { visibleCaller } from '../../../../access/key-rights.ts'
import { plannedCaller } from '../../../../access/planned-key.ts'
import type { AppContext } from '../../../../app/context.ts'
import { KeyAccess, KeyAccessRequest } from '../../../../contract/admin/key-access.ts'
import { ENDPOINT_SCOPES } from '../../../../contract/admin/policy.ts'
import type { JsonBody } from '../../../../json/parse-body.ts'
import { limitsOfKey } from '../../../../limits/key-state.ts'
import { listModels } from '../../../../routing/models.ts'
import { reportedModels } from '../../../../upstream/reported-models.ts'
import { peopleContext } from '../../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../../services.ts'

export const show: Route = {
  method: 'GET',
  path: '/admin/keys/{id}/access',
  access: 'admin',
  permission: 'keys.read',
  summary: 'What a key may use, and what limits it',
  replies: { 200: { description: 'What it may use.', schema: KeyAccess } },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { id } = request.params as { id: string }
    return await accessOf(await visibleCaller(id, peopleContext(request, context)), context)
  },
}

export const preview: Route = {
  method: 'POST',
  path: '/admin/keys/preview',
  access: 'admin',
  permission: 'keys.write',
  summary: 'What a key would be able to use',
  description: 'Creates nothing. The key would be in `personal` if `project` is absent.',
  body: KeyAccessRequest,
  replies: { 200: { description: 'What it would be able to use.', schema: KeyAccess } },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return await accessOf(await plannedCaller(value as KeyAccessRequest, peopleContext(request, context)), context)
  },
}

async function accessOf(caller: Caller, context: AppContext) {
  const reported = await reportedModels(context)
  return {
    endpoints: ENDPOINT_SCOPES.filter((endpoint) => mayUseEndpoint(caller, endpoint)),
    models: listModels(caller, context, { all: false, reported }).map(({ id }) => id),
    limits: await limitsOfKey(caller, context),
  }
}
