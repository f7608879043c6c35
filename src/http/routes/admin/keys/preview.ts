import type { Names } from '../../../../calls/routing/names/alias-models.ts'
import { type Caller, mayUseEndpoint } from '../../../../tenants/access/caller.ts'
import { previewKeyAs } from '../../../../tenants/access/manage-keys.ts'
import { ENDPOINT_SCOPES } from '../../../../contract/admin/policy.ts'
import { KeyPreview, PreviewKeyRequest } from '../../../../contract/admin/keys.ts'
import { limitsOfKey } from '../../../../money/limits/applying-limits.ts'
import { listModels } from '../../../../calls/routing/models.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'

const MAX_EXAMPLES = 20

export const preview = route({
  method: 'POST',
  path: '/admin/keys/preview',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Preview the access of a key',
  description:
    'Nothing is created. The scopes, the region and the policies of the key and of its project are applied together.',
  body: PreviewKeyRequest,
  replies: { 200: { description: 'What it could use.', schema: KeyPreview } },
  handle: async (request, _reply, services) => {
    const caller = await previewKeyAs(request.body.value, askedBy(request, services.tenants))
    return { ...previewOf(caller, services.calls), limits: await limitsOfKey(caller, services.calls) }
  },
})

/** Models of local servers are left out: finding them out would make calls. */
function previewOf(caller: Caller, services: Names): Omit<KeyPreview, 'limits'> {
  const models = listModels(caller, services, { all: true, reported: [] })
  const callable = models.filter(({ available }) => available)
  return {
    endpoints: ENDPOINT_SCOPES.filter((endpoint) => mayUseEndpoint(caller, endpoint)),
    models: models.length,
    available: callable.length,
    examples: callable.slice(0, MAX_EXAMPLES).map(({ id }) => id),
  }
}
