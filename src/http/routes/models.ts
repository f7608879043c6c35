import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../schema/type.ts'
import { words } from '../../schema/fields.ts'
import { ModelList } from '../../contract/models.ts'
import { modelListText } from '../../routing/model-lists.ts'
import { sendTextWithEtag } from '../etag.ts'
import { readWord } from '../query.ts'
import type { HttpServices, Route } from '../services.ts'

export default {
  method: 'GET',
  path: '/v3/models',
  access: 'key',
  scope: 'models',
  summary: 'Models that this key may use',
  description:
    'The whole catalog, as far as the key and its region allow. `available` says whether the provider has a credential ' +
    'here; `?available=true` omits the others. `?view=models` groups by bare name.',
  query: Type.Object({
    view: Type.Optional(
      words(['endpoints', 'models'], { description: 'One entry per provider and model, or one per bare name.' }),
    ),
    available: Type.Optional(Type.String({ description: '`true`: only models that can be called here now.' })),
  }),
  replies: { 200: { description: 'The models.', schema: ModelList } },
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { view, available } = request.query as Record<string, string | undefined>
    const wanted = readWord('view', view, ['endpoints', 'models'], 'endpoints')
    const availableOnly = readWord('available', available, ['true', 'false'], 'false') === 'true'
    const text = modelListText(request.caller, wanted, { availableOnly }, context)
    return sendTextWithEtag(request, reply, text, 'application/json; charset=utf-8')
  },
} satisfies Route
