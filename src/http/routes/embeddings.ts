import type { FastifyReply, FastifyRequest } from 'fastify'
import { chatIssues } from '../../contract/chat-rules.ts'
import { EmbeddingsReply, EmbeddingsRequest } from '../../contract/embeddings.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { embed } from '../../embeddings/embeddings.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { modelListRoute } from '../model-list-route.ts'
import { validationProblem } from '../problems.ts'
import type { HttpServices, Route } from '../services.ts'

const path = '/v3/embeddings'

export const create: Route = {
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  skipsHooks: true,
  summary: 'Create embeddings',
  body: EmbeddingsRequest,
  replies: {
    200: { description: 'The vectors.', schema: EmbeddingsReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const body = (request.body as JsonBody).value as EmbeddingsRequest
    const issues = chatIssues({ extra_headers: body.extra_headers })
    if (issues.length > 0) throw validationProblem(issues)
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => embed(body, open.call, services.context))
  },
}

export const models = modelListRoute(path, 'embedding', 'Embedding models')
