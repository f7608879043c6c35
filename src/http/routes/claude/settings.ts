import { ManagedSettings } from '../../../contract/agents.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { problem } from '../../../contract/problems.ts'
import { managedSettings } from '../../../tenants/agents/managed-settings.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import { route } from '../../define-route.ts'
import { sendWithEtag, UNCHANGED } from '../../cached/etag.ts'
import type { HttpServices } from '../../route.ts'
import { agentsAreOn } from './agent-route.ts'
import { modelsOfClaudeCode } from './models.ts'

export default route({
  method: 'GET',
  path: '/v3/claude/managed/settings',
  access: 'key',
  isOn: agentsAreOn,
  summary: 'Get the managed settings of Claude Code',
  description:
    'Those of the organization and of the project of the session. What the organization sets, no project changes; the lists of permissions ' +
    'of both hold. If the project may not use all models, `availableModels` has those that it may use, unless the settings name some. Claude ' +
    'Code asks at its start and every hour.',
  replies: {
    200: { description: 'The settings.', schema: ManagedSettings },
    304: UNCHANGED,
    404: { description: 'There is nothing to follow.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const { caller } = request
    const settings = await managedSettings(caller, await namesFor(caller, services), services.tenants)
    if (!settings) throw problem('not_found', { message: 'There are no managed settings for this session.' })
    return sendWithEtag(request, reply, settings)
  },
})

/** Undefined if all models are allowed: a model that is newer than the catalog can be chosen then, too. */
async function namesFor(caller: Caller, services: HttpServices): Promise<string[] | undefined> {
  const { scopes, policy } = caller
  const isFree = !scopes?.some((scope) => scope.startsWith('model:')) && !policy?.models.length
  if (isFree) return undefined
  const models = await modelsOfClaudeCode(caller, services)
  return [...new Set(models.flatMap(({ id }) => namesOf(id)))]
}

/** Claude Code itself asks for the names of the maker, without a provider. */
function namesOf(id: string): string[] {
  const plain = id.slice(id.lastIndexOf('/') + 1)
  return plain.startsWith('claude') ? [plain, id] : [id]
}
