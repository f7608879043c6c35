import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { ModerationsReply, ModerationsRequest } from '../../contract/moderations.ts'
import { moderate } from '../../moderations/moderations.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { modelListRoute } from '../model-list-route.ts'
import type { HttpServices, Route } from '../services.ts'

const path = '/v3/moderations'

export const create: Route = {
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  skipsHooks: true,
  summary: 'Moderate texts and images',
  body: ModerationsRequest,
  replies: {
    200: { description: 'The judgements.', schema: ModerationsReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const body = (request.body as JsonBody).value as ModerationsRequest
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => moderate(body, open.call, services.context))
  },
}

export const models = modelListRoute(path, 'moderation', 'Moderation models')
