import { type Caller, DEFAULT_OWNER, mayUseEndpoint } from '../../tenants/access/caller.ts'
import type { Call } from '../../calls/call.ts'
import type { ExplainedPolicy } from '../../contract/admin/forecast.ts'
import { resolveName } from '../../calls/routing/names/resolve-name.ts'
import type { ModelType } from '../../platform/catalog/catalog.ts'
import type { Asking } from '../../calls/routing/names/alias-models.ts'
import { CHAT_KINDS, type TargetServices } from '../../calls/routing/chat-targets.ts'
import { isRouterValue } from '../../calls/routing/router/router-value.ts'
import { recordOf } from '../../base/schema/record.ts'
import type { Explainer } from './explainer.ts'

/** The caller of a dry run that names no key. */
export const KEYLESS_CALLER: Caller = {
  keyId: 'explain',
  keyName: 'explain',
  ...DEFAULT_OWNER,
  user: null,
  kind: 'live',
  region: 'global',
  scopes: null,
  expiresAt: null,
  allowedIps: null,
  policy: null,
}

type Explained = { explainer: Explainer; endpoint: string; body: unknown; caller: Caller }

/** What the gateway says about a dry run. */
export function explanationOf({ explainer, endpoint, body, caller }: Explained, services: TargetServices) {
  const { targets, skippedHooks, call } = explainer
  const routing = call?.record.routing
  return {
    resolved: isTask(endpoint)
      ? []
      : resolutionsOf(namesIn(body, call), { caller, kinds: kindsOf(endpoint) }, services),
    targets,
    ...(routing && { routing: { ...routing } }),
    ...(skippedHooks.length > 0 && { hooks_not_run: skippedHooks }),
    policy: policyOf(caller),
  }
}

/** The names of tasks are not those of models. */
function isTask(endpoint: string): boolean {
  return endpoint.startsWith('/v3/universal-ai')
}

/** The names of models in a request: in its body, or in its path. */
function namesIn(body: unknown, call: Call | undefined): string[] {
  const { model = call?.record.labels.requestedModel, fallbacks } = recordOf(body)
  const names: unknown[] = [model, ...(Array.isArray(fallbacks) ? fallbacks : [])]
  return names.filter((name) => typeof name === 'string').filter((name) => !isRouterValue(name))
}

/** What the endpoints serve that are not chats. */
const KINDS: readonly [RegExp, readonly ModelType[]][] = [
  [/images\//, ['image']],
  [/embed/i, ['embedding']],
  [/rerank$/, ['rerank', 'embedding']],
  [/moderations$/, ['moderation']],
  [/speech$/, ['speech']],
  [/(?:transcriptions|translations)$/, ['transcription']],
]

function kindsOf(endpoint: string): readonly ModelType[] {
  return KINDS.find(([path]) => path.test(endpoint))?.[1] ?? CHAT_KINDS
}

/** How each name in the request was understood. */
function resolutionsOf(names: readonly string[], asking: Asking, services: TargetServices) {
  return names.map((name) => {
    // The order of an alias is that of the targets below; no target is to lose its turn here.
    const { how, alias, models } = resolveName(name, { ...asking, affinity: () => 0, isLook: true }, services)
    const stands_for = [...new Set(models.map(({ id }) => id))]
    return { name, how, ...(alias !== undefined && { alias }), stands_for }
  })
}

/** What the project and the key demand, whatever a request says. */
function policyOf(caller: Caller): ExplainedPolicy {
  const { policy, region } = caller
  return {
    region,
    project_region: policy?.region ?? null,
    models: policy?.models.map((list) => [...list]) ?? [],
    endpoints: policy?.endpoints ? [...policy.endpoints] : null,
    data_policy: policy?.dataPolicy ?? null,
    allows_chat: mayUseEndpoint(caller, 'chat'),
  }
}
