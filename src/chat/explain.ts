import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChatRequest } from '../contract/chat.ts'
import type { WireRequest } from '../wire/wire.ts'
import { tryParse } from '../json/try-parse.ts'
import { costPartsOf } from '../billing/cost-parts.ts'
import { type Caller, DEFAULT_OWNER, mayUseEndpoint } from '../access/caller.ts'
import type { ExplainedPolicy } from '../contract/admin/forecast.ts'
import { labelsOf } from '../calls/labels.ts'
import { type ForecastSource, forecast } from '../limits/forecast.ts'
import type { LimitedCall } from '../limits/match-limits.ts'
import { ofFreeOrPaid, type WorstCase } from '../limits/worst-case.ts'
import { chatWorstCase } from '../upstream/bounds/chat-worst-case.ts'
import { completedChat } from '../routing/alias-defaults.ts'
import { chatCodecOf } from '../upstream/chat-codec-of.ts'
import { isCustomizedChat } from '../upstream/customized.ts'
import { FILE_NOTE, hasFiles, takesNoFiles } from '../upstream/file-texts.ts'
import { governChat } from '../upstream/governed-chat.ts'
import { type ChatTarget, type RouteContext, type RoutedCall, route } from '../routing/route.ts'
import { resolveName } from '../routing/names/resolve-name.ts'
import { needsOf } from '../routing/router/needs-of.ts'
import { isRouterValue } from '../routing/router/router-value.ts'
import { tokensOf } from '../routing/router/score.ts'
import { affinityOf } from './affinity.ts'
import { exactChatCase } from './exact-case.ts'
import { checkToolModels } from './tool-models.ts'

/** The caller of a dry run that names no key. */
export const ANYBODY: Caller = {
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

/** `spending` knows the budgets and rate limits, as far as they are known where the dry run is made. */
export type ExplainContext = RouteContext & { spending: ForecastSource }

/**
 * A dry run: which targets would be asked, in which order, with what request, and at what cost. Nothing is sent, and no
 * credential is shown. Other requests get their turns between the steps, because a request may be large.
 */
export async function explain(request: ChatRequest, caller: Caller, context: ExplainContext) {
  const isCustomized = () => isCustomizedChat({ request })
  let routing: object | undefined
  const routed = (decision: object) => {
    routing = decision
  }
  const call: RoutedCall = { caller, isCustomized, affinity: affinityOf(request, caller.owner), routed }
  const resolved = resolutionsOf(request, call, context)
  const targets = route(request, call, context)
  checkToolModels({ request }, targets, caller, context)
  const worstCase = chatWorstCase({ request })
  const exactCase = exactChatCase({ request }, { caller, signal: new AbortController().signal })
  const limited = { caller, endpoint: 'chat', labels: labelsOf(request) }
  const explained = []
  for (const target of targets) {
    const worst = ofFreeOrPaid(worstCase(target), target)
    const spending = await forecastOf({ call: limited, target, worst }, exactCase, context.spending)
    explained.push({ ...(await explainTarget(request, target, caller)), spending })
  }
  await nextTurn()
  return { resolved, targets: explained, ...(routing && { routing }), policy: policyOf(caller) }
}

type Forecasted = { call: LimitedCall; target: ChatTarget; worst: WorstCase }

/** As in a real call, the tokens of a prompt are counted only if its bytes do not fit. */
async function forecastOf(attempt: Forecasted, exactCase: ReturnType<typeof exactChatCase>, source: ForecastSource) {
  const byBytes = await forecast(attempt, source)
  const exact = byBytes.outcome === 'passes' ? undefined : await exactCase(attempt.target)
  return exact ? await forecast({ ...attempt, worst: ofFreeOrPaid(exact, attempt.target) }, source) : byBytes
}

/** What the project and the key demand, whatever a request says. */
function policyOf(caller: Caller): ExplainedPolicy {
  const { policy, region } = caller
  return {
    ...{ region, project_region: policy?.region ?? null, models: policy?.models.map((list) => [...list]) ?? [] },
    endpoints: policy?.endpoints ? [...policy.endpoints] : null,
    pre_hooks: [...(policy?.preHooks ?? [])] as ExplainedPolicy['pre_hooks'],
    post_hooks: [...(policy?.postHooks ?? [])] as ExplainedPolicy['post_hooks'],
    data_policy: policy?.dataPolicy ?? null,
    allows_chat: mayUseEndpoint(caller, 'chat'),
  }
}

/** How each name in the request was understood. */
function resolutionsOf({ model, fallbacks }: ChatRequest, call: RoutedCall, context: RouteContext) {
  const names = [model, ...(fallbacks ?? [])].filter((name) => !isRouterValue(name))
  return names.map((name) => {
    // The order of an alias is that of the targets below; no target is to lose its turn here.
    const { how, alias, models } = resolveName(name, { caller: call.caller, affinity: () => 0 }, context)
    const stands_for = [...new Set(models.map(({ id }) => id))]
    return { name, how, ...(alias !== undefined && { alias }), stands_for }
  })
}

async function explainTarget(request: ChatRequest, target: ChatTarget, caller: Caller) {
  await nextTurn()
  const governed = governChat({ request }, target, caller)
  const completed = completedChat(governed?.input ?? { request }, target)
  const encoded = chatCodecOf(target.provider).encode(completed, target)
  const { wire } = encoded
  const notes = [...(target.note ? [target.note] : []), ...(governed?.notes ?? []), ...encoded.notes]
  const { timeouts, entry, provider } = target
  await nextTurn()
  return {
    model: target.id,
    provider: provider.id,
    dialect: provider.dialect,
    credentials: target.credential === undefined ? provider.credentials.length : 1,
    ...(target.credential !== undefined && { credential: target.credential }),
    request: shown(wire),
    notes: hasFiles(request) && takesNoFiles(target) ? [...notes, FILE_NOTE] : notes,
    limits: timeouts,
    known: entry !== undefined,
    estimated_cost: costPartsOf(entry, asExpected(request)).cost,
    price_version: entry?.checked ?? null,
  }
}

/** The request as it would be sent, without the credential, which is added last. */
function shown({ method, url, headers, body }: WireRequest) {
  return { method, url, headers, body: typeof body === 'string' ? (tryParse(body) ?? body) : null }
}

function asExpected(request: ChatRequest) {
  return { tokens: tokensOf(needsOf(request)), usage: undefined, request, serviceTier: request.service_tier }
}
