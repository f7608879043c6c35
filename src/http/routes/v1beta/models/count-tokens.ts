import type { FastifyReply, FastifyRequest } from 'fastify'
import { GeminiCountReply, GeminiCountRequest, GeminiError } from '../../../../contract/gemini/generate-content.ts'
import { countedRequest, toCount } from '../../../../translation/formats/gemini/to-count.ts'
import type { JsonBody } from '../../../../translation/json/parse-body.ts'
import { countTokens } from '../../../../endpoints/tokens/count-tokens.ts'
import { addHeaders } from '../../../common-headers.ts'
import { ESTIMATE } from '../../estimate.ts'
import { closeReply, headersOf, openReply } from '../../../open-reply.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { modelIn } from '../model-name.ts'

export default route({
  method: 'POST',
  path: '/v3/v1beta/models/{model}:countTokens',
  routedAs: '/v3/v1beta/countTokens/:model',
  access: 'key',
  scope: 'tokens',
  errors: GeminiError,
  summary: 'Count tokens (Gemini)',
  description:
    'Any model of the catalog. Google counts for its own models; for others see the counter of the messages format. ' +
    `Estimates are marked by \`${ESTIMATE}: true\`.`,
  body: GeminiCountRequest,
  replies: {
    200: { description: 'The count.', schema: GeminiCountReply },
    404: { description: 'There is no such model.', schema: GeminiError },
    422: { description: 'The request is not valid.', schema: GeminiError },
  },
  handle,
})

type CountRequest = FastifyRequest<{ Body: JsonBody<GeminiCountRequest>; Params: { model: string } }>

async function handle(request: CountRequest, reply: FastifyReply, services: HttpServices) {
  const counted = countedRequest(request.body.value)
  const open = openReply(request, reply, services, 'tokens')
  const countRequest = toCount(counted, modelIn(request, services.calls))
  try {
    const input = { request: countRequest, text: JSON.stringify({ ...countRequest, counted }), gemini: counted }
    const { tokens, exact } = await countTokens(input, open.call, services.calls)
    if (!exact) reply.header(ESTIMATE, 'true')
    return { totalTokens: tokens }
  } finally {
    addHeaders(reply, headersOf(open.call))
    closeReply(open)
  }
}
