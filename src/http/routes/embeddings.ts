import type { FastifyReply, FastifyRequest } from 'fastify'
import { chatFaults } from '../../contract/chat-rules.ts'
import { EmbeddingsReply, EmbeddingsRequest } from '../../contract/embeddings.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { embed } from '../../core/embeddings.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openLine, wholeReply } from '../call-line.ts'
import { modelListRoute } from '../model-list-route.ts'
import { validationProblem } from '../problems.ts'
import type { House, Route } from '../route.ts'

const path = '/v3/embeddings'

export const create: Route = {
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  summary: 'Texts as vectors',
  body: EmbeddingsRequest,
  replies: {
    200: { description: 'The vectors.', schema: EmbeddingsReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed; the message has the reason.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, house: House) => {
    const body = (request.body as JsonBody).value as EmbeddingsRequest
    const faults = chatFaults({ extra_headers: body.extra_headers })
    if (faults.length > 0) throw validationProblem(faults)
    const line = openLine(request, reply, house, 'universal')
    return wholeReply(line, () => embed(body, line.call, house.outside))
  },
}

export const models = modelListRoute(path, 'embedding', 'Embedding models')
