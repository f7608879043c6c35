import type { ModelType } from '../../../platform/catalog/catalog.ts'
import { GeminiError } from '../../../contract/gemini/generate-content.ts'
import { GeminiModel, GeminiModelList } from '../../../contract/gemini/models.ts'
import { unknownModel } from '../../../calls/routing/names/unknown-model.ts'
import { geminiModel } from '../../../translation/formats/gemini/model-object.ts'
import { listModels, oneModel } from '../../../calls/routing/models.ts'
import { wrongType } from '../../../base/schema/issue-messages.ts'
import Type from '../../../base/schema/type.ts'
import { reportedModels } from '../../../calls/upstream/reported-models.ts'
import { sendWithEtag, UNCHANGED } from '../../cached/etag.ts'
import { validationProblem } from '../../problems.ts'
import { MAX_LIMIT, MAX_PAGE } from '../../query.ts'
import { route } from '../../define-route.ts'
import { modelIn } from './model-name.ts'

const DEFAULT_PAGE_SIZE = 50
/** The kinds of models that this format has methods for. */
const KINDS: readonly ModelType[] = ['chat', 'embedding']

const common = { method: 'GET' as const, access: 'key' as const, scope: 'models' as const, errors: GeminiError }

export const list = route({
  ...common,
  path: '/v3/v1beta/models',
  summary: 'List models (Gemini)',
  description: 'Models that this key can call now.',
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_PAGE_SIZE, description: 'How many.' }),
    ),
    pageToken: Type.Optional(Type.String({ description: 'The `nextPageToken` of the previous page.' })),
  }),
  replies: { 200: { description: 'The models.', schema: GeminiModelList }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const { pageSize: size = DEFAULT_PAGE_SIZE, pageToken } = request.query
    const from = readToken(pageToken)
    const reported = await reportedModels(services.calls)
    const all = KINDS.flatMap((type) =>
      listModels(request.caller, services.calls, { type, all: false, reported }).map((model) => ({ model, type })),
    )
    const models = all.slice(from, from + size).map(({ model, type }) => geminiModel(model, type))
    const next = from + size
    return sendWithEtag(request, reply, { models, ...(next < all.length && { nextPageToken: String(next + 1) }) })
  },
})

/** The number of the first model of the page. */
function readToken(token: string | undefined): number {
  if (!token) return 0
  const first = Number(token)
  if (!Number.isInteger(first) || first < 1 || first > MAX_PAGE)
    throw validationProblem([wrongType(['query', 'pageToken'], 'integer')])
  return first - 1
}

export const one = route({
  ...common,
  path: '/v3/v1beta/models/{model}',
  greedy: true,
  summary: 'Get a model (Gemini)',
  replies: { 200: { description: 'The model.', schema: GeminiModel }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const reported = await reportedModels(services.calls)
    const name = modelIn(request, services.calls)
    const found = oneModel(name, request.caller, services.calls, reported)
    if (!found) throw unknownModel(name, request.caller, services.calls)
    return sendWithEtag(request, reply, geminiModel(found.shown, found.type))
  },
})
