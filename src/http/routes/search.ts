import type { FastifyReply } from 'fastify'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { SearchModels, SearchReply, SearchRequest } from '../../contract/search.ts'
import { search, searchModels } from '../../endpoints/search/search.ts'
import { type RequestWith, route } from '../define-route.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import type { HttpServices } from '../route.ts'

const common = { access: 'key', scope: 'universal' } as const
const replies = {
  200: { description: 'The pages found.', schema: SearchReply },
  400: { description: 'No provider is named, or the provider has no such filter.', schema: ErrorBody },
  422: { description: 'The request is not valid.', schema: ValidationErrorBody },
  502: { description: 'The provider failed. The message has the reason.', schema: ErrorBody },
}

export const create = route({
  method: 'POST',
  path: '/v3/search',
  ...common,
  summary: 'Search the web',
  description:
    "In the format of Perplexity's search API, by every provider of the task `web/search`. Open WebUI's engine " +
    '`perplexity_search` works with the address of POST /v3/search/{provider}.',
  body: SearchRequest,
  replies,
  handle: (request, reply, services) => answer(request, reply, services, undefined),
})

export const ofProvider = route({
  method: 'POST',
  path: '/v3/search/{provider}',
  ...common,
  summary: 'Search the web with one provider',
  description: 'The same with the provider in the path, for clients that cannot name a model.',
  body: SearchRequest,
  replies,
  handle: (request, reply, services) => answer(request, reply, services, request.params.provider),
})

export const models = route({
  method: 'GET',
  path: '/v3/search/models',
  access: 'key',
  scope: 'models',
  summary: 'List search providers',
  description: 'Providers that this key can search with now.',
  replies: { 200: { description: 'The providers.', schema: SearchModels } },
  handle: (request, _reply, services) => searchModels(request, services.calls),
})

function answer(
  request: RequestWith<SearchRequest>,
  reply: FastifyReply,
  services: HttpServices,
  provider: string | undefined,
): Promise<void> {
  const open = openReply(request, reply, services, {
    endpoint: 'universal',
    statesEstimates: true,
    namesOriginal: true,
  })
  return wholeReply(open, () => search(request.body.value, provider, open.call, services.calls))
}
