import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody, ValidationErrorBody } from '../../../../contract/errors.ts'
import { CountTokensRequest, CountTokensResponse } from '../../../../contract/tokens.ts'
import { countTokens } from '../../../../endpoints/tokens/count-tokens.ts'
import { closeReply, headersOf, openReply } from '../../../open-reply.ts'
import { addHeaders } from '../../../common-headers.ts'
import { ESTIMATE } from '../../estimate.ts'
import { type RequestWith, route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'

const BETAS = /^[\w., -]{1,1000}$/

export default route({
  method: 'POST',
  path: '/v3/v1/messages/count_tokens',
  access: 'key',
  scope: 'tokens',
  summary: 'Count tokens (Anthropic)',
  description:
    'How many tokens a request in the Anthropic messages format has for any model of the catalog. Nothing ' +
    'is run and nothing is charged. If the provider has a counter (Anthropic, Google, Claude on Amazon Bedrock, ' +
    'OpenAI) and a credential is configured, the gateway asks it, for two seconds at most. Otherwise the gateway estimates the number. An estimate is ' +
    `marked by \`${ESTIMATE}: true\`.`,
  body: CountTokensRequest,
  replies: {
    200: { description: 'The count.', schema: CountTokensResponse },
    404: { description: 'There is no such model.', schema: ErrorBody },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
  },
  handle,
})

async function handle(
  request: RequestWith<CountTokensRequest>,
  reply: FastifyReply,
  services: HttpServices,
): Promise<CountTokensResponse> {
  const { value, text } = request.body
  const open = openReply(request, reply, services, { endpoint: 'tokens', format: 'messages' })
  const body = { request: value, text, betas: betasOf(request) }
  try {
    const { tokens, exact } = await countTokens(body, open.call, services.calls)
    if (!exact) reply.header(ESTIMATE, 'true')
    return { input_tokens: tokens }
  } finally {
    addHeaders(reply, headersOf(open.call))
    closeReply(open)
  }
}

function betasOf({ headers }: FastifyRequest): string | undefined {
  const betas = headers['anthropic-beta']
  return typeof betas === 'string' && BETAS.test(betas) ? betas : undefined
}
