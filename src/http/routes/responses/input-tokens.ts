import type { FastifyReply } from 'fastify'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { InputTokens, InputTokensRequest } from '../../../contract/responses/input-tokens.ts'
import { countInput } from '../../../endpoints/responses/count-input.ts'
import { wholeItems } from '../../../endpoints/responses/response-request.ts'
import { addHeaders } from '../../common-headers.ts'
import { readerOf } from '../../memory-lease.ts'
import { closeReply, headersOf, openReply } from '../../open-reply.ts'
import { type RequestWith, route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { ESTIMATE } from '../estimate.ts'

export default route({
  method: 'POST',
  path: '/v3/responses/input_tokens',
  access: 'key',
  scope: 'tokens',
  summary: 'Count input tokens of a response',
  description:
    'Any model of the catalog, with everything that the request names: earlier responses and conversations. OpenAI counts ' +
    `for its own models; for others see the counter of the messages format. Estimates are marked by \`${ESTIMATE}: true\`.`,
  body: InputTokensRequest,
  replies: {
    200: { description: 'The count.', schema: InputTokens },
    404: { description: 'There is no such model or conversation.', schema: ErrorBody },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
  },
  handle,
})

async function handle(
  request: RequestWith<InputTokensRequest>,
  reply: FastifyReply,
  services: HttpServices,
): Promise<InputTokens> {
  const body = request.body.value
  const items = await wholeItems(body, readerOf(request, services.calls), services.calls)
  const open = openReply(request, reply, services, 'tokens')
  try {
    const { tokens, exact } = await countInput(body, items, open.call, services.calls)
    if (!exact) reply.header(ESTIMATE, 'true')
    return { object: 'response.input_tokens', input_tokens: tokens }
  } finally {
    addHeaders(reply, headersOf(open.call))
    closeReply(open)
  }
}
