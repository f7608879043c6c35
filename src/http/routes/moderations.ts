import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { ModerationsReply, ModerationsRequest } from '../../contract/moderations.ts'
import { moderate } from '../../core/moderations.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openLine, wholeReply } from '../call-line.ts'
import { modelListRoute } from '../model-list-route.ts'
import type { House, Route } from '../route.ts'

const path = '/v3/moderations'

export const create: Route = {
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  summary: 'Judge texts and images',
  body: ModerationsRequest,
  replies: {
    200: { description: 'The judgements.', schema: ModerationsReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed; the message has the reason.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, house: House) => {
    const body = (request.body as JsonBody).value as ModerationsRequest
    const line = openLine(request, reply, house, 'universal')
    return wholeReply(line, () => moderate(body, line.call, house.outside))
  },
}

export const models = modelListRoute(path, 'moderation', 'Moderation models')
