import { chatIssues } from '../../contract/chat-rules.ts'
import { EmbeddingsReply, EmbeddingsRequest } from '../../contract/embeddings.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { embed } from '../../endpoints/embeddings/embeddings.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { modelListRoute } from '../model-list-route.ts'
import { validationProblem } from '../problems.ts'
import { route } from '../define-route.ts'

const path = '/v3/embeddings'

export const create = route({
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  summary: 'Create embeddings',
  body: EmbeddingsRequest,
  replies: {
    200: { description: 'The vectors.', schema: EmbeddingsReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request, reply, services) => {
    const body = request.body.value
    const issues = chatIssues({ extra_headers: body.extra_headers })
    if (issues.length > 0) throw validationProblem(issues)
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => embed(body, open.call, services.calls))
  },
})

export const models = modelListRoute(path, 'embedding', 'embedding models')
