import { type Model, OPERATOR } from '../../platform/catalog/catalog.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { Routing } from '../../contract/routing.ts'
import { costOf } from '../../money/billing/token-buckets.ts'
import { problem } from '../../contract/problems.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Note, Target } from '../../translation/dialects/chat-codec.ts'
import type { Requester } from '../attempts/circuits.ts'
import { circuitName } from '../attempts/credentials.ts'
import type { Asking } from './names/alias-models.ts'
import { findModel, listedModels, type ResolvedModel, type Via } from './names/resolved-model.ts'
import { isOfKinds, refuseEnded, refuseForbidden, refuseOtherKinds } from './names/refusals.ts'
import { checkedModels, resolvedOrNone } from './names/resolve-name.ts'
import { namedByAlias } from './named-by-alias.ts'
import type { CallServices } from '../services/call-services.ts'
import { chooseTargets } from './router/choose-targets.ts'
import { MAX_CANDIDATES } from './router/named-candidates.ts'
import { needsOf } from './router/needs-of.ts'
import { allowedProvidersOf, hostSortOf, refuseRouterSettings } from './router/preferences.ts'
import { tokensOf } from './router/score.ts'
import { isRouterValue } from './router/router-value.ts'
import { timeoutsFor, type ModelTimeouts } from '../attempts/timeouts.ts'
import type { Attempt } from '../attempts/attempt.ts'

const ENDPOINT = 'chat completions'
export const CHAT_KINDS = ['chat'] as const

/** A model at a provider that can answer a call, with its address, time limits and prices. */
export type ChatTarget = Target & {
  /** The gateway's name of the model: `provider/model`. */
  id: string
  provider: Provider
  entry: Model | undefined
  timeouts: ModelTimeouts
  /** The provider is known to have a responses endpoint for this model. */
  hasResponses?: boolean
  /** For the caller of a model that the catalog does not know. */
  note?: Note | undefined
  /** The region that its name demands. */
  demanded?: Region | undefined
  /** What an alias says: its own credential, circuits, retries, and fields that the caller does not set. */
  credential?: string | undefined
  circuit?: string | undefined
  retries?: number | undefined
  defaults?: Readonly<Record<string, unknown>> | undefined
}

/** One try at one chat model. */
export type ChatAttempt = Attempt<ChatTarget, CallServices>

/** What choosing targets needs from the application: no network and no database. */
export type TargetServices = Pick<
  CallServices,
  'config' | 'catalog' | 'aliases' | 'circuits' | 'observations' | 'timeouts' | 'monotonic'
>

/** Who asks, and who is told why the router chose the targets. */
export type RoutedCall = Requester & Asking & { routed(decision: object): void }

/** The model and its fallbacks, in order. All are checked before any is called, so that a success never hides a typo. */
export function chatTargets(request: ChatRequest, call: RoutedCall, services: TargetServices): ChatTarget[] {
  const { model, fallbacks, routing } = request
  const asking = routing ? withWishes(request, routing, call, services) : call
  if (!isRouterValue(model)) {
    if (routing) refuseRouterSettings(routing)
    return targetsOf(fallbacks ? [model, ...fallbacks] : [model], asking, services)
  }
  refuseIfAllOtherKinds(request, services)
  const { caller, affinity } = call
  const named = { caller, affinity, kinds: CHAT_KINDS }
  const { candidates, models, unrankable } = namedByAlias(request.router_candidates, named, services)
  const routed = candidates ? { ...request, router_candidates: candidates } : request
  const { ids, decision } = chooseTargets(routed, caller, {
    ...services,
    granted: models,
    unrankable,
    circuitIsOpen: (candidate) => isOpen(candidate, call, services),
  })
  call.routed(decision)
  // The router has chosen models, so no alias takes their place now.
  const chosen = ids.map((id) => models.get(id) ?? findModel(id, services) ?? id)
  const tried = routing?.allow_fallbacks === false ? chosen.slice(0, 1) : chosen
  return targetsOf([...tried, ...(fallbacks ?? [])], asking, services)
}

/** A candidate that is no chat model is left out. If all are of another kind, the caller has the wrong endpoint. */
function refuseIfAllOtherKinds({ router_candidates }: ChatRequest, services: TargetServices): void {
  if (!router_candidates || router_candidates.length > MAX_CANDIDATES) return
  const listed = listedModels(router_candidates, services)
  const others = listed.filter((resolved) => !isOfKinds(resolved, CHAT_KINDS))
  if (others.length === router_candidates.length) refuseOtherKinds(others, 'chat', ENDPOINT)
}

function withWishes(request: ChatRequest, routing: Routing, call: RoutedCall, { config }: TargetServices): Asking {
  const { caller, affinity, note, dialect } = call
  // Reading the prompt takes a while, and is only needed if prices are compared.
  let tokens: ReturnType<typeof tokensOf> | undefined
  return {
    caller,
    note,
    affinity,
    dialect,
    allowedProviders: allowedProvidersOf(routing, config.providers),
    sort: hostSortOf(routing),
    isOnlyFirst: routing.allow_fallbacks === false,
    priceOf: ({ entry }) => {
      tokens ??= tokensOf(needsOf(request))
      return costOf(tokens, entry?.price, request.service_tier)
    },
  }
}

/** The targets of a chat, by the names of their models. */
export function targetsOf(
  names: readonly (string | ResolvedModel)[],
  asking: Asking,
  services: TargetServices,
): ChatTarget[] {
  const { caller } = asking
  for (const name of names) if (typeof name === 'string' && isRouterValue(name)) throw noRouter()
  const models = checkedModels(names, { ...asking, kinds: CHAT_KINDS }, services, (found) => {
    refuseEnded(found, 'chat')
    refuseOtherKinds(found, 'chat', ENDPOINT)
    for (const resolved of found) refuseForbidden(resolved, caller)
  })
  return models.map((resolved) =>
    toTarget(caller.kind === 'sandbox' ? inSandbox(resolved, services) : resolved, services),
  )
}

function noRouter() {
  const message = 'The router cannot be a fallback: name models, or name the router as the model.'
  return problem('validation_error', {
    message,
    param: 'fallbacks',
    detail: [{ loc: ['body', 'fallbacks'], msg: message, type: 'value_error' }],
  })
}

function isOpen(
  { id, provider }: { id: string; provider: string },
  requester: Requester,
  { circuits, config }: TargetServices,
): boolean {
  if (circuits.isQuiet) return false
  const credentials = Math.max(1, config.providers[provider]?.credentials.length ?? 0)
  for (let index = 0; index < credentials; index++)
    if (circuits.allows(circuitName({ id }, index), requester)) return false
  return true
}

/** The target that a chat most likely goes to, if it can be told without the router. Nothing is chosen by this look. */
export function chatTargetOrNone(
  { model }: Pick<ChatRequest, 'model'>,
  caller: Asking['caller'],
  services: TargetServices,
): ChatTarget | undefined {
  if (isRouterValue(model)) return undefined
  const [resolved] = resolvedOrNone(model, { caller, kinds: CHAT_KINDS }, services)?.models ?? []
  return resolved && toTarget(caller.kind === 'sandbox' ? inSandbox(resolved, services) : resolved, services)
}

const NO_ALIAS: Via['alias'] = {}

/** A target never changes, so it is built once per model. */
const targets = new WeakMap<ResolvedModel, ChatTarget>()

export function toTarget(
  resolved: ResolvedModel,
  { config, timeouts: byDefault }: Pick<CallServices, 'config' | 'timeouts'>,
): ChatTarget {
  const cached = targets.get(resolved)
  if (cached) return cached
  const { id, provider, model, entry, note, via, demanded } = resolved
  const { retries, defaults, timeouts } = via?.alias ?? NO_ALIAS
  const made = {
    id,
    provider,
    model,
    entry,
    baseUrl: provider.baseUrl,
    name: provider.name,
    compat: provider.compat,
    fieldRules: provider.fieldRules,
    traits: entry?.traits,
    hasResponses: provider.responses ?? entry?.responses === true,
    timeouts: timeoutsFor(
      { provider: provider.id, id, thinks: thinks(resolved), own: timeouts },
      byDefault,
      config.timeouts,
    ),
    note,
    demanded,
    credential: via?.credential,
    circuit: via?.address && `${id}@${via.address}`,
    retries: retries ?? config.retries[id] ?? config.retries[provider.id],
    defaults,
  }
  targets.set(resolved, made)
  return made
}

/**
 * Whether the model reasons; undefined if that is unknown. Models of the operator and servers of the operator (which have no
 * TLS) may do anything at any speed.
 */
function thinks({ entry, provider }: ResolvedModel): boolean | undefined {
  if (entry?.can.includes('reasoning')) return true
  const isKnown = entry && entry.source !== OPERATOR && provider.baseUrl.startsWith('https:')
  return isKnown ? false : undefined
}

/** A sandbox key is answered by the simulated provider, whatever model it names. Only rehearsal models keep their name. */
function inSandbox(
  { id, provider, model, demanded }: ResolvedModel,
  { config, catalog }: TargetServices,
): ResolvedModel {
  const sandbox = config.providers.sandbox!
  const entry = catalog.find('sandbox', 'echo')
  return {
    id,
    provider: sandbox,
    model: provider === sandbox ? model : 'echo',
    entry,
    regions: sandbox.regions!,
    demanded,
  }
}
