import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ModelType } from '../catalog/catalog.ts'
import { ModelList } from '../contract/models.ts'
import { modelListText } from '../routing/model-lists.ts'
import { sendTextWithEtag } from './etag.ts'
import type { HttpServices, Route } from './services.ts'

/** The list of models of one kind, beside the endpoint that uses them. */
export function modelListRoute(path: string, type: ModelType, called: string): Route {
  return {
    method: 'GET',
    path: `${path}/models`,
    access: 'key',
    scope: 'models',
    summary: `${called} that this key may use`,
    description: '`available` says whether the provider has a credential here.',
    replies: { 200: { description: 'The models.', schema: ModelList } },
    handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
      const text = modelListText(request.caller, 'endpoints', { type }, context)
      return sendTextWithEtag(request, reply, text, 'application/json; charset=utf-8')
    },
  }
}
