import { ModelObject } from '../../../contract/models.ts'
import { unknownModel } from '../../../calls/routing/names/unknown-model.ts'
import { oneModel } from '../../../calls/routing/models.ts'
import { reportedModels } from '../../../calls/upstream/reported-models.ts'
import { sendWithEtag } from '../../cached/etag.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/v3/models/{model}',
  greedy: true,
  access: 'key',
  scope: 'models',
  summary: 'Get a model',
  description:
    'By any name that a call may use: `provider/model`, an alias, or a name without a provider. Slashes may be plain or encoded.',
  replies: { 200: { description: 'The model.', schema: ModelObject } },
  handle: async (request, reply, services) => {
    const id = request.params.model
    const found = oneModel(id, request.caller, services.calls, await reportedModels(services.calls))
    if (!found) throw unknownModel(id, request.caller, services.calls)
    return sendWithEtag(request, reply, found.shown)
  },
})
