import { type Model, OPERATOR } from '../catalog/catalog.ts'
import type { Provider } from '../config/provider-settings.ts'
import type { ChatRequest } from '../contract/chat.ts'
import { problem } from '../contract/problems.ts'
import type { Target } from '../dialects/chat-codec.ts'
import type { Call } from '../calls/call.ts'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../attempts/circuits.ts'
import { circuitName } from '../attempts/credentials.ts'
import { findAnyModel, listedModels, type Place, refuseEnded, refuseForbidden, refuseOtherKinds } from './find-model.ts'
import type { AppContext } from '../app/context.ts'
import { chooseTargets } from './router/choose-targets.ts'
import { MAX_CANDIDATES } from './router/named-candidates.ts'
import { isRouterValue } from './router/router-value.ts'
import { limitsFor, type ModelLimits } from '../attempts/time-limits.ts'
import type { Attempt } from '../attempts/attempt.ts'

const ENDPOINT = 'chat completions'

/** A model at a provider that can answer a call, with its address, time limits and prices. */
export type ChatTarget = Target & {
  /** The gateway's name of the model: `provider/model`. */
  id: string
  provider: Provider
  entry: Model | undefined
  limits: ModelLimits
}

/** One try at one chat model. */
export type ChatAttempt = Attempt<ChatTarget, AppContext>

/** What choosing targets needs from the application: no network and no database. */
export type RouteContext = Pick<AppContext, 'config' | 'catalog' | 'circuits' | 'observations' | 'limits' | 'monotonic'>

/** The part of a call that routing reads and writes. */
export type RoutedCall = Pick<Call, 'caller' | 'routing' | 'isCustomized'>

/** The model and its fallbacks, in order. All are checked before any is called, so that a success never hides a typo. */
export function route(request: ChatRequest, call: RoutedCall, context: RouteContext): ChatTarget[] {
  const { model, fallbacks } = request
  if (!isRouterValue(model)) return targetsOf(fallbacks ? [model, ...fallbacks] : [model], call.caller, context)
  refuseOtherKinds(listedModels(request.router_candidates?.slice(0, MAX_CANDIDATES) ?? [], context), 'chat', ENDPOINT)
  const { ids, decision } = chooseTargets(request, call.caller, {
    ...context,
    circuitIsOpen: (candidate) => isOpen(candidate, call, context),
  })
  call.routing = decision
  return targetsOf([...ids, ...(fallbacks ?? []).filter((id) => !ids.includes(id))], call.caller, context)
}

/** The targets of a chat, by the names of their models. */
export function targetsOf(ids: readonly string[], caller: Caller, context: RouteContext): ChatTarget[] {
  const places = ids.map((id) => findAnyModel(named(id), context))
  refuseEnded(places, 'chat')
  refuseOtherKinds(places, 'chat', ENDPOINT)
  for (const place of places) refuseForbidden(place, caller)
  return places.map((place) => toTarget(caller.kind === 'sandbox' ? inSandbox(place, context) : place, context))
}

function named(id: string): string {
  if (!isRouterValue(id)) return id
  const message = 'The router cannot be a fallback: name models, or name the router as the model.'
  throw problem('validation_error', {
    message,
    param: 'fallbacks',
    detail: [{ loc: ['body', 'fallbacks'], msg: message, type: 'value_error' }],
  })
}

function isOpen(
  { id, provider }: { id: string; provider: string },
  requester: Requester,
  { circuits, config }: RouteContext,
): boolean {
  if (circuits.isQuiet) return false
  const places = Math.max(1, config.providers[provider]?.credentials.length ?? 0)
  for (let index = 0; index < places; index++) if (circuits.allows(circuitName(id, index), requester)) return false
  return true
}

/** A target never changes, so it is built once per model. */
const targets = new WeakMap<Place, ChatTarget>()

export function toTarget(place: Place, { config, limits }: Pick<AppContext, 'config' | 'limits'>): ChatTarget {
  const known = targets.get(place)
  if (known) return known
  const { id, provider, model, entry } = place
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
    limits: limitsFor({ provider: provider.id, id, thinks: thinks(place) }, limits, config.limits),
  }
  targets.set(place, made)
  return made
}

/**
 * Whether the model reasons; undefined if nobody knows. Models of the operator and servers of the operator (which have no
 * TLS) may do anything at any speed.
 */
function thinks({ entry, provider }: Place): boolean | undefined {
  if (entry?.can.includes('reasoning')) return true
  const isKnown = entry && entry.source !== OPERATOR && provider.baseUrl.startsWith('https:')
  return isKnown ? false : undefined
}

/** A sandbox key is answered by the simulated provider, whatever model it names. Only rehearsal models keep their name. */
function inSandbox({ id, provider, model }: Place, { config, catalog }: RouteContext): Place {
  const sandbox = config.providers.sandbox!
  const entry = catalog.find('sandbox', 'echo')
  return { id, provider: sandbox, model: provider === sandbox ? model : 'echo', entry, regions: sandbox.regions! }
}
