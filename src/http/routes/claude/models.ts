import { ModelPage } from '../../../contract/models.ts'
import { forMessages, withAllNames } from '../../../calls/routing/model-lists.ts'
import { listModels } from '../../../calls/routing/models.ts'
import { reportedModels } from '../../../calls/upstream/reported-models.ts'
import Type from '../../../base/schema/type.ts'
import { sendWithEtag, UNCHANGED } from '../../cached/etag.ts'
import { MAX_LIMIT } from '../../query.ts'
import { route } from '../../define-route.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import type { HttpServices } from '../../route.ts'
import { agentsAreOn } from './agent-route.ts'

/** Claude Code shows no others. An alias counts by its own name. */
const IS_CLAUDE = /(?:^|\/)(?:claude|anthropic)/

export default route({
  method: 'GET',
  path: '/v3/claude/v1/models',
  access: 'key',
  scope: 'models',
  isOn: agentsAreOn,
  summary: 'List models for Claude Code',
  description:
    'Chat models that the caller can use now and that Claude Code shows: those whose names begin with `claude` or `anthropic`, also behind ' +
    'the name of a provider. It asks with `CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1`.',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: 'The maximum number of models. Default: all.' }),
    ),
  }),
  replies: { 200: { description: 'The models.', schema: ModelPage }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const { limit = MAX_LIMIT } = request.query
    const shown = await modelsOfClaudeCode(request.caller, services)
    return sendWithEtag(request, reply, withAllNames(shown.slice(0, limit).map(forMessages), shown.length > limit))
  },
})

export async function modelsOfClaudeCode(caller: Caller, { calls }: HttpServices) {
  const reported = await reportedModels(calls)
  const models = listModels(caller, calls, { type: 'chat', all: false, reported })
  return models.filter(({ id }) => IS_CLAUDE.test(id))
}
