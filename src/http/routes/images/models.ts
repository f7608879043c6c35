import type { FastifyReply, FastifyRequest } from 'fastify'
import { ModelList } from '../../../contract/models.ts'
import { modelListText } from '../../../routing/model-lists.ts'
import { sendTextWithEtag } from '../../etag.ts'
import type { HttpServices, Route } from '../../services.ts'

export default {
  method: 'GET',
  path: '/v3/images/models',
  access: 'key',
  scope: 'images',
  summary: 'Image models that this key may use',
  description: 'The image models of GET /v3/models. `available` says whether the provider has a credential here.',
  replies: { 200: { description: 'The models.', schema: ModelList } },
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const text = modelListText(request.caller, 'endpoints', { type: 'image' }, context)
    return sendTextWithEtag(request, reply, text, 'application/json; charset=utf-8')
  },
} satisfies Route
