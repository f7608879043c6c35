import type { FastifyReply, FastifyRequest } from 'fastify'
import { ModelList } from '../../contract/models.ts'
import { listModels } from '../../core/models.ts'
import type { House, Route } from '../route.ts'
import { sendWithEtag } from '../etag.ts'

export default {
  method: 'GET',
  path: '/v3/models',
  access: 'key',
  scope: 'models',
  summary: 'Models that this key may use',
  description: 'Lists the models of the providers that have a credential here, as far as the key and its region allow.',
  replies: { 200: { description: 'The models.', schema: ModelList } },
  handle: (request: FastifyRequest, reply: FastifyReply, { outside }: House) => {
    return sendWithEtag(request, reply, { object: 'list', data: listModels(request.caller, outside) })
  },
} satisfies Route
