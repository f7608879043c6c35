import { consoleCaller } from '../../../tenants/access/console-caller.ts'
import { projectCallers } from '../../../tenants/access/preview-key.ts'
import { chat } from '../../../endpoints/chat/chat.ts'
import { knownCost } from '../../../calls/call.ts'
import {
  CatalogModelList,
  MODEL_CAPABILITIES,
  ModelDetail,
  TestedModel,
  TestModelRequest,
} from '../../../contract/admin/providers.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { Problem } from '../../../contract/problems.ts'
import type { Actor } from '../../../tenants/people/actor.ts'
import { may, reachIn } from '../../../tenants/people/may.ts'
import { type ModelViewer, watchModel, watchModels } from '../../../calls/routing/watch-models.ts'
import { reportedModels } from '../../../calls/upstream/reported-models.ts'
import { words } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { refusalOf } from '../../auth.ts'
import { closeReply, type OpenReply, openReply } from '../../open-reply.ts'
import { route } from '../../define-route.ts'
import type { HttpServices, Route } from '../../route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const WHO_SEES =
  'With `config.read` everything of the catalog, and what was measured; all others see what their projects may call now, and aliases.'

const list = route({
  method: 'GET',
  path: '/admin/models',
  access: 'admin',
  permission: 'projects.read',
  summary: 'List models',
  description: WHO_SEES,
  query: Type.Object({
    name: Type.Optional(Type.String({ description: 'Only models whose id or name has this text, in any case.' })),
    provider: Type.Optional(Type.String({ description: 'Only models of this provider.' })),
    type: Type.Optional(Type.String({ description: 'Only models of this type, such as `chat`.' })),
    capability: Type.Optional(
      words(MODEL_CAPABILITIES, { description: 'Only models with this capability, according to a source.' }),
    ),
    min_context: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Only models with a context window of at least so many tokens.' }),
    ),
    configured: Type.Optional(
      Type.Boolean({ description: 'Only models whose provider can be called, or only others.' }),
    ),
    project: Type.Optional(Type.String({ description: 'Only models that this project may call now.' })),
    order: Type.Optional(
      words(['name', 'popular'], {
        default: 'name',
        description:
          '`popular`: what can be called first, then the providers that most people look for, and of each the newest models.',
      }),
    ),
    ...paging,
  }),
  replies: { 200: { description: 'A page of models.', schema: CatalogModelList } },
  handle: async (request, _reply, services) => {
    const { limit, cursor, ...query } = request.query
    const viewer = await viewerOf(request.actor, services)
    return watchModels({ ...query, ...pageIn({ limit, cursor }) }, viewer, services.calls)
  },
})

const one = route({
  method: 'GET',
  path: '/admin/models/{model}',
  greedy: true,
  access: 'admin',
  permission: 'projects.read',
  summary: 'Get a model',
  description: `With other providers of the model, and its aliases. The slashes of the name may be plain or encoded. ${WHO_SEES}`,
  replies: {
    200: { description: 'The model.', schema: ModelDetail },
    404: { description: 'There is no such model, or you may not use it.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) =>
    watchModel(request.params.model, await viewerOf(request.actor, services), services.calls),
})

async function viewerOf(actor: Actor, { calls, operations }: HttpServices): Promise<ModelViewer> {
  const [callers, reported] = await Promise.all([
    reachIn(actor, 'projects.read', calls.db).then((reach) => projectCallers(calls, reach)),
    reportedModels(calls),
  ])
  return { callers, reported, isOperator: may(actor, 'config.read'), processName: operations.processName }
}

/** What any call of a model may be refused with. */
const REFUSALS = Object.fromEntries(
  Object.entries({
    402: 'A budget of the project is spent.',
    403: 'The policy of the project does not allow chats, or not this model.',
    404: 'There is no such model.',
    424: 'The provider has no credential here.',
    429: 'A rate limit of the project is exceeded.',
    451: 'The model is not available in the region of the project.',
  }).map(([status, description]) => [status, { description, schema: ErrorBody }]),
)

const test = route({
  method: 'POST',
  path: '/admin/models/test',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Test a model',
  description:
    'Asks the model for one token. This is a real call that `project` pays for: it goes through its policy, budgets and rate limits, and is in the request log with ' +
    'the key `console`. You need the right to create a key there. A failure of the provider is in the answer.',
  body: TestModelRequest,
  replies: { 200: { description: 'The result of the test.', schema: TestedModel }, ...REFUSALS },
  handle: async (request, reply, services) => {
    const { project } = request.body.value
    request.caller = await consoleCaller({ project }, askedBy(request, services.calls))
    const refusal = refusalOf(request.caller, { scope: 'chat' }, services.calls)
    if (refusal) throw refusal
    const open = openReply(request, reply, services, 'chat')
    try {
      return await tried(request.body.value.model, open)
    } finally {
      closeReply(open)
    }
  },
})

/** A call that was refused before any model was asked keeps its own status. */
async function tried(model: string, open: OpenReply) {
  const { call, services } = open
  const { record } = call
  const request: ChatRequest = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }
  const failure = await chat({ request, source: undefined }, call, services.calls).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure !== undefined && (record.attempts.length === 0 || !(failure instanceof Problem))) throw failure
  return {
    answered: failure === undefined,
    request_id: call.id,
    model: record.model,
    provider: record.provider,
    attempts: record.attempts.length,
    cost: knownCost(call),
    duration_ms: services.calls.monotonic() - call.startedAt,
    error: failure instanceof Problem ? { code: failure.code, message: failure.message } : null,
  }
}

export const modelRoutes: readonly Route[] = [list, test, one]
