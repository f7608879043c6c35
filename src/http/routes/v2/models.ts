import type { ModelType } from '../../../platform/catalog/catalog.ts'
import { CohereError } from '../../../contract/cohere/error.ts'
import { type CohereModel, CohereModelList, CohereModel as Model } from '../../../contract/cohere/models.ts'
import type { ModelObject } from '../../../contract/models.ts'
import { unknownModel } from '../../../calls/routing/names/unknown-model.ts'
import { wrongType } from '../../../base/schema/issue-messages.ts'
import Type from '../../../base/schema/type.ts'
import { listModels, oneModel } from '../../../calls/routing/models.ts'
import { reportedModels } from '../../../calls/upstream/reported-models.ts'
import { sendWithEtag, UNCHANGED } from '../../cached/etag.ts'
import { validationProblem } from '../../problems.ts'
import { MAX_LIMIT, MAX_PAGE } from '../../query.ts'
import { route } from '../../define-route.ts'

const DEFAULT_MODELS = 20
/** The endpoints of this format, by the kind of a model. */
const ENDPOINTS: Partial<Record<ModelType, string>> = {
  chat: 'chat',
  embedding: 'embed',
  rerank: 'rerank',
}
const KINDS: readonly ModelType[] = ['chat', 'embedding', 'rerank']

const common = { method: 'GET', access: 'key', scope: 'models', errors: CohereError } as const

export const list = route({
  ...common,
  path: '/v3/v2/models',
  summary: 'List models (Cohere)',
  description: 'Models that this key can call now. Requests of these clients to `/v1/models` arrive here.',
  query: Type.Object({
    endpoint: Type.Optional(
      Type.String({ maxLength: 50, description: 'Only models with this endpoint: `chat`, `embed` or `rerank`.' }),
    ),
    default_only: Type.Optional(
      Type.Boolean({ description: '`true`: only the default of the endpoint. There is none.' }),
    ),
    page_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_MODELS, description: 'How many.' }),
    ),
    page_token: Type.Optional(
      Type.String({ maxLength: 50, description: 'The `next_page_token` of the previous page.' }),
    ),
  }),
  replies: { 200: { description: 'The models.', schema: CohereModelList }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const { endpoint, default_only: onlyDefault, page_size: size = DEFAULT_MODELS, page_token: token } = request.query
    const from = firstOf(token)
    const kinds = KINDS.filter((kind) => !onlyDefault && (!endpoint || ENDPOINTS[kind] === endpoint))
    const reported = await reportedModels(services.calls)
    const all = kinds.flatMap((type) =>
      listModels(request.caller, services.calls, { type, all: false, reported }).map((model) => ({ model, type })),
    )
    const models = all.slice(from, from + size).map(({ model, type }) => cohereModel(model, type))
    const next_page_token = from + size < all.length ? String(from + size) : null
    return sendWithEtag(request, reply, { models, next_page_token })
  },
})

/** The number of the first model of the page. */
function firstOf(token: string | undefined): number {
  if (!token) return 0
  const first = Number(token)
  if (!Number.isInteger(first) || first < 0 || first > MAX_PAGE)
    throw validationProblem([wrongType(['query', 'page_token'], 'integer')])
  return first
}

export const one = route({
  ...common,
  path: '/v3/v2/models/{model}',
  greedy: true,
  summary: 'Get a model (Cohere)',
  replies: { 200: { description: 'The model.', schema: Model }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const reported = await reportedModels(services.calls)
    const found = oneModel(request.params.model, request.caller, services.calls, reported)
    if (!found) throw unknownModel(request.params.model, request.caller, services.calls)
    return sendWithEtag(request, reply, cohereModel(found.shown, found.type))
  },
})

function cohereModel({ id, context_length, retires_at }: ModelObject, type: ModelType): CohereModel {
  const endpoint = ENDPOINTS[type]
  return {
    name: id,
    is_deprecated: retires_at != null,
    endpoints: endpoint === undefined ? [] : [endpoint],
    finetuned: false,
    context_length: context_length ?? null,
    tokenizer_url: null,
    default_endpoints: [],
    features: null,
  }
}
