import type { FastifyReply, FastifyRequest } from 'fastify'
import { words } from '../../schema/fields.ts'
import Type from '../../schema/type.ts'
import { MODEL_LIST_QUERY, MODEL_LIST_REPLIES, sendModelList } from '../model-list-route.ts'
import { readWord } from '../query.ts'
import type { HttpServices, Route } from '../services.ts'

const VIEWS = ['endpoints', 'models'] as const

export default {
  method: 'GET',
  path: '/v3/models',
  access: 'key',
  scope: 'models',
  summary: 'Models that this key can call now',
  description:
    'The models of all providers that have a credential here, as far as the scopes and the region of the key allow, and the ' +
    'models that local servers report. `?all=true` lists the whole catalog. `?view=models` groups by bare name.',
  query: Type.Object({
    view: Type.Optional(words([...VIEWS], { description: 'One entry per provider and model, or per bare name.' })),
    ...MODEL_LIST_QUERY,
  }),
  replies: MODEL_LIST_REPLIES,
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { view } = request.query as Record<string, string | undefined>
    return sendModelList(request, reply, services, { view: readWord('view', view, VIEWS, 'endpoints') })
  },
} satisfies Route
