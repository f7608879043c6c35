import { CohereError } from '../../../contract/cohere/error.ts'
import { RerankReply, RerankRequest } from '../../../contract/cohere/rerank.ts'
import { route } from '../../define-route.ts'
import { answerRerank } from '../rerank.ts'

export default route({
  method: 'POST',
  path: '/v3/v2/rerank',
  access: 'key',
  scope: 'universal',
  errors: CohereError,
  summary: 'Rerank documents (Cohere)',
  description:
    'Sorts documents by their relevance to a query. The same as `POST /v3/rerank`, with errors as clients of Cohere read them.',
  body: RerankRequest,
  replies: {
    200: { description: 'The documents, the most relevant one first.', schema: RerankReply },
    422: { description: 'The request is not valid.', schema: CohereError },
    502: { description: 'The model failed. The message has the reason.', schema: CohereError },
  },
  handle: answerRerank,
})
