import Type from '../../../base/schema/type.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { ExplainRequest, Explanation } from '../../../contract/admin/operations.ts'
import { uuid } from '../../../base/schema/fields.ts'
import { problem } from '../../../contract/problems.ts'
import { KEYLESS_CALLER } from '../../../endpoints/explain/explanation.ts'
import { callerOf } from '../../../tenants/access/keys.ts'
import { limitsOfGateway } from '../../../money/limits/forecast-sources.ts'
import { route } from '../../define-route.ts'
import { askedIn, explain } from '../../dry-run.ts'

export default route({
  method: 'POST',
  path: '/admin/explain',
  access: 'admin',
  permission: 'config.read',
  summary: 'Explain a request (dry run)',
  description:
    'The targets in the order in which they would be tried, the requests to each, the notes on fields that would be ' +
    'translated or dropped, the estimated cost, every budget and rate limit that an attempt would touch, and the policy ' +
    'that applies. `endpoint` is the path of any endpoint that asks a provider, and `body` what would be sent there; a chat ' +
    'alone is one of chat completions. The request takes its real way up to the provider, so it is what would be sent. No ' +
    'provider is called, no file is opened and nothing is reserved. `?key=` is the id of the key to act as.',
  query: Type.Object({ key: Type.Optional(uuid("A key's id.")) }),
  body: ExplainRequest,
  replies: {
    200: { description: 'What would happen.', schema: Explanation },
    404: { description: 'There is no such key or model.', schema: ErrorBody },
    424: { description: 'The provider of a model has no credential here.', schema: ErrorBody },
    451: { description: 'A model is not available in the region of the key.', schema: ErrorBody },
    501: { description: 'The provider of the model cannot do that.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { key } = request.query
    const { apiRoutes, health } = services
    const caller = key === undefined ? KEYLESS_CALLER : await callerOf(key, services.calls)
    if (!caller) throw problem('not_found', { message: 'There is no such key.' })
    const limits = limitsOfGateway(services.calls)
    return await explain({ ...askedIn(request.body), caller }, { services, limits, routes: apiRoutes!, health })
  },
})
