import type { FastifyRequest } from 'fastify'
import { ModelObjectForAll, ModelPage } from '../../../contract/models.ts'
import { unknownModel } from '../../../calls/routing/names/unknown-model.ts'
import { forMessages, withAllNames } from '../../../calls/routing/model-lists.ts'
import { listModels, oneModel } from '../../../calls/routing/models.ts'
import Type from '../../../base/schema/type.ts'
import { reportedModels } from '../../../calls/upstream/reported-models.ts'
import { sendWithEtag, UNCHANGED } from '../../cached/etag.ts'
import { MODEL_LIST_QUERY, sendModelList } from '../../model-list-route.ts'
import { MAX_LIMIT } from '../../query.ts'
import { route } from '../../define-route.ts'

const common = { method: 'GET' as const, access: 'key' as const, scope: 'models' as const }

export const list = route({
  ...common,
  path: '/v3/v1/models',
  summary: 'List models (Anthropic, OpenAI)',
  description:
    'Models that this key can call now. The members of `GET /v3/models` and those that clients of the messages format expect. Clients that send ' +
    '`anthropic-version` get chat models only.',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: 'The maximum number of models. Default: all.' }),
    ),
    after_id: Type.Optional(Type.String({ maxLength: 500, description: 'The last id of the previous page.' })),
    ...MODEL_LIST_QUERY,
  }),
  replies: { 200: { description: 'The models.', schema: ModelPage }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const { limit, after_id: after } = request.query
    const isMessages = request.headers['anthropic-version'] !== undefined
    const type = isMessages ? ('chat' as const) : undefined
    if (limit === undefined && after === undefined)
      return sendModelList(request, reply, services, {
        type,
        view: isMessages ? 'messages' : VIEWS[typeFor(request)],
      })
    const reported = await reportedModels(services.calls)
    const models = listModels(request.caller, services.calls, { type, all: false, reported })
    const from = after === undefined ? 0 : models.findIndex(({ id }) => id === after) + 1
    const size = limit ?? MAX_LIMIT
    const shown = models.slice(from, from + size)
    const hasMore = from + size < models.length
    return sendWithEtag(
      request,
      reply,
      withAllNames(isMessages ? shown.map(forMessages) : shown, hasMore, typeFor(request)),
    )
  },
})

export const one = route({
  ...common,
  path: '/v3/v1/models/{model}',
  greedy: true,
  summary: 'Get a model (Anthropic, OpenAI)',
  replies: { 200: { description: 'The model.', schema: ModelObjectForAll }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const id = request.params.model
    const found = oneModel(id, request.caller, services.calls, await reportedModels(services.calls))
    if (!found) throw unknownModel(id, request.caller, services.calls)
    const isMessages = request.headers['anthropic-version'] !== undefined
    return sendWithEtag(
      request,
      reply,
      withAllNames([isMessages ? forMessages(found.shown) : found.shown], false, typeFor(request)).data[0]!,
    )
  },
})

const VIEWS = { model: 'all names', base: 'mistral' } as const

/** The clients of Mistral take models of other types for something that they do not know. */
function typeFor({ headers }: FastifyRequest): 'model' | 'base' {
  return headers['user-agent']?.startsWith('mistral-client') ? 'base' : 'model'
}
