import { type Caller, mayUseEndpoint } from '../../../../tenants/access/caller.ts'
import { visibleCaller } from '../../../../tenants/access/manage-keys.ts'
import type { CallServices } from '../../../../calls/services/call-services.ts'
import { KeyAccess } from '../../../../contract/admin/key-access.ts'
import { ENDPOINT_SCOPES } from '../../../../contract/admin/policy.ts'
import { limitsOfKey } from '../../../../money/limits/applying-limits.ts'
import { listModels } from '../../../../calls/routing/models.ts'
import { reportedModels } from '../../../../calls/upstream/reported-models.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'

export default route({
  method: 'GET',
  path: '/admin/keys/{id}/access',
  access: 'admin',
  permission: 'keys.read',
  summary: 'Get the access and limits of a key',
  replies: { 200: { description: 'What it may use.', schema: KeyAccess } },
  handle: async (request, _reply, services) => {
    const { id } = request.params
    return await accessOf(await visibleCaller(id, askedBy(request, services.tenants)), services.calls)
  },
})

async function accessOf(caller: Caller, services: CallServices) {
  const reported = await reportedModels(services)
  return {
    endpoints: ENDPOINT_SCOPES.filter((endpoint) => mayUseEndpoint(caller, endpoint)),
    models: listModels(caller, services, { all: false, reported }).map(({ id }) => id),
    limits: await limitsOfKey(caller, services),
  }
}
