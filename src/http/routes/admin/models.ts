import { consoleCaller } from '../../../tenants/access/console-caller.ts'
import { projectCallers } from '../../../tenants/access/preview-key.ts'
import { chat } from '../../../endpoints/chat/chat.ts'
import { knownCost } from '../../../calls/call.ts'
import { CatalogModelList, TestedModel, TestModelRequest } from '../../../contract/admin/providers.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { Problem } from '../../../contract/problems.ts'
import { reachIn } from '../../../tenants/people/may.ts'
import { watchModels } from '../../../calls/routing/watch-providers.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { refusalOf } from '../../auth.ts'
import { closeReply, type OpenReply, openReply } from '../../open-reply.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const list = route({
  method: 'GET',
  path: '/admin/models',
  access: 'admin',
  permission: 'config.read',
  summary: 'The catalog: prices with their version, measured speed, and which projects may use a model',
  query: Type.Object({
    name: Type.Optional(Type.String({ description: 'Only models whose id has this text, in any case.' })),
    provider: Type.Optional(Type.String({ description: 'Only models of this provider.' })),
    type: Type.Optional(Type.String({ description: 'Only models of this type, such as `chat`.' })),
    configured: Type.Optional(
      Type.Boolean({ description: 'Only models whose provider can be called, or only others.' }),
    ),
    ...paging,
  }),
  replies: { 200: { description: 'A page of models.', schema: CatalogModelList } },
  handle: async (request, _reply, services) => {
    const { name, provider, type, configured, ...page } = request.query
    const callers = await projectCallers(
      services.calls,
      await reachIn(request.actor, 'projects.read', services.calls.db),
    )
    return watchModels({ name, provider, type, configured, ...pageIn(page) }, callers, services.calls)
  },
})

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
  summary: 'Ask a model for one token',
  description:
    'A real call that `project` pays for: it goes through its policy, budgets and rate limits, and is in the request log with ' +
    'the key `console`. You need the right to create a key there. What a provider did wrong is in the answer.',
  body: TestModelRequest,
  replies: { 200: { description: 'What became of it.', schema: TestedModel }, ...REFUSALS },
  handle: async (request, reply, services) => {
    const { project } = request.body.value
    request.caller = await consoleCaller({ project }, askedBy(request, services.calls))
    const refusal = refusalOf(request.caller, { scope: 'chat' })
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
    ...{ answered: failure === undefined, request_id: call.id, model: record.model },
    ...{ provider: record.provider, attempts: record.attempts.length, cost: knownCost(call) },
    duration_ms: services.calls.monotonic() - call.startedAt,
    error: failure instanceof Problem ? { code: failure.code, message: failure.message } : null,
  }
}

export const modelRoutes: readonly Route[] = [list, test]
