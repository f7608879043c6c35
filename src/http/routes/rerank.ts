import type { FastifyReply } from 'fastify'
import { chatIssues } from '../../contract/chat-rules.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { RerankReply, RerankRequest } from '../../contract/cohere/rerank.ts'
import { rerank } from '../../endpoints/rerank/rerank.ts'
import { modelListRoute } from '../model-list-route.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { validationProblem } from '../problems.ts'
import { type RequestWith, route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'

const path = '/v3/rerank'

export const create = route({
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  summary: 'Rerank documents',
  description:
    'Sorts documents by their relevance to a query. Rerank models of Cohere, Voyage AI, Jina AI and local servers, in the format of Cohere and Jina. Every embedding model ' +
    'works here, too: it sorts by the similarity of vectors. `local/rerank` does that inside of the gateway, for English texts.',
  body: RerankRequest,
  replies: {
    200: { description: 'The documents, the most relevant one first.', schema: RerankReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: answerRerank,
})

export const models = modelListRoute(path, 'rerank', 'rerank models')

export function answerRerank(
  request: RequestWith<RerankRequest>,
  reply: FastifyReply,
  services: HttpServices,
): Promise<void> {
  const body = request.body.value
  const issues = chatIssues({ extra_headers: body.extra_headers })
  if (issues.length > 0) throw validationProblem(issues)
  const open = openReply(request, reply, services, 'universal')
  return wholeReply(open, () => rerank(body, open.call, services.calls))
}
