import type { FastifyReply } from 'fastify'
import { chatIssues } from '../../../contract/chat-rules.ts'
import { EmbedReply, EmbedRequest } from '../../../contract/cohere/embed.ts'
import { CohereError } from '../../../contract/cohere/error.ts'
import { retrievalFields } from '../../../endpoints/embeddings/ask-for-vectors.ts'
import { embed } from '../../../endpoints/embeddings/embeddings.ts'
import { fromEmbeddings, lostFields, purposeFields, toEmbeddings } from '../../../translation/formats/cohere/embed.ts'
import type { ChatTarget } from '../../../calls/routing/chat-targets.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { validationProblem } from '../../problems.ts'
import { type RequestWith, route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'

export default route({
  method: 'POST',
  path: '/v3/v2/embed',
  access: 'key',
  scope: 'universal',
  errors: CohereError,
  summary: 'Create embeddings (Cohere)',
  description:
    'Any embedding model of any provider, for clients of Cohere: set their base URL to `<this host>` or `<this host>/v3`.',
  body: EmbedRequest,
  replies: {
    200: { description: 'The vectors.', schema: EmbedReply },
    422: { description: 'The request is not valid.', schema: CohereError },
    502: { description: 'The model failed. The message has the reason.', schema: CohereError },
  },
  handle,
})

function handle(request: RequestWith<EmbedRequest>, reply: FastifyReply, services: HttpServices) {
  const body = request.body.value
  const issues = chatIssues({ extra_headers: body.extra_headers })
  if (issues.length > 0) throw validationProblem(issues)
  const embeddingsRequest = toEmbeddings(body)
  const open = openReply(request, reply, services, 'universal')
  const fieldsFor = (target: ChatTarget) => {
    const fields = purposeFields(body, retrievalFields(target))
    open.call.record.note(lostFields(body, fields))
    return fields
  }
  return wholeReply(open, async () => {
    const made = await embed(embeddingsRequest, open.call, services.calls, fieldsFor)
    return fromEmbeddings(body, made, open.call.id)
  })
}
