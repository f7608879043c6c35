import { words } from '../../base/schema/fields.ts'
import Type from '../../base/schema/type.ts'
import { SERVED_TYPES } from '../../calls/routing/models.ts'
import { MODEL_LIST_QUERY, MODEL_LIST_REPLIES, MODEL_LIST_VIEW, sendModelList } from '../model-list-route.ts'
import { route } from '../define-route.ts'

export default route({
  method: 'GET',
  path: '/v3/models',
  access: 'key',
  scope: 'models',
  summary: 'List models',
  description:
    'Models that this key can call now. The models of all providers that have a credential here, as far as the scopes and the region of the key allow, and the ' +
    'models that local servers report. `?all=true` lists the whole catalog. `?view=models` groups by bare name.',
  query: Type.Object({
    type: Type.Optional(words([...SERVED_TYPES], { description: 'Only models of this type, such as `chat`.' })),
    ...MODEL_LIST_VIEW,
    ...MODEL_LIST_QUERY,
  }),
  replies: MODEL_LIST_REPLIES,
  handle: (request, reply, services) => {
    const { type, view = 'endpoints' } = request.query
    return sendModelList(request, reply, services, { type, view })
  },
})
