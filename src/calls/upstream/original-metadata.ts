import type { ModelType } from '../../platform/catalog/catalog.ts'
import { recordOf, recordsIn } from '../../base/schema/record.ts'
import type { AttemptRecord } from '../attempt-record.ts'
import type { Call } from '../call.ts'
import type { Names } from '../routing/names/alias-models.ts'
import { resolvedOrNone } from '../routing/names/resolve-name.ts'
import { isRouterValue } from '../routing/router/router-value.ts'

// What happened to a call in the words of the hosted original, for programs that were written for it. Its own words are in
// `call-metadata.ts`.

const MAX_ENDPOINTS = 32

/** The object `edenai_metadata` of an answer; undefined if the caller did not ask for it. */
export function originalMetadata(call: Call, services: Names): Record<string, unknown> | undefined {
  if (!call.wantsOriginalMetadata) return undefined
  const { attempts, labels, model, routing } = call.record
  const served = attempts.at(-1)?.model ?? model
  const regionOf = (attempt?: AttemptRecord) => attempt?.demanded ?? call.caller.region
  const endpoints = endpointsOf(call, served, services)
  return {
    requested: labels.requestedModel ?? served,
    ...(endpoints && { strategy: endpoints.strategy }),
    ...(!endpoints && { mode: 'sync' }),
    region: regionOf(attempts.at(-1)),
    summary: `available=${endpoints?.available.length ?? 1}, served=${served}`,
    attempt: attempts.length,
    // All credentials are the operator's own.
    is_byok: true,
    ...(endpoints && { endpoints: { total: endpoints.available.length, available: endpoints.available } }),
    attempts: attempts.map((attempt) => {
      const { provider, model: asked, wire } = attempt
      return { provider, model: asked, status: wire.status, region: regionOf(attempt) }
    }),
    tags: labels.tags ?? {},
    ...(endpoints && { auto: routing && autoOf(routing, served) }),
  }
}

const CHAT: readonly ModelType[] = ['chat']

/** Undefined for tasks, whose names are not those of models. */
function endpointsOf({ caller, endpoint, record }: Call, served: string | null, services: Names) {
  const name = record.labels.requestedModel
  if (endpoint === 'universal' || name === null) return undefined
  if (name.startsWith('@') && isRouterValue(name)) {
    const tried = record.attempts.map(({ model, provider }) => ({ id: model, provider: { id: provider } }))
    return { strategy: 'auto', available: shown(tried, served) }
  }
  const asking = { caller, kinds: endpoint === 'chat' ? CHAT : undefined }
  const found = resolvedOrNone(name, asking, services)
  const strategy = found && STRATEGIES[found.how]
  return { strategy: strategy ?? 'direct', available: shown(found?.models ?? [], served) }
}

const STRATEGIES = { model: 'direct', alias: 'alias', wildcard: 'alias', bare_name: 'routed' } as const

type Host = { id: string; provider: { id: string; configured?: boolean } }

/** Of several attempts at one model, one is listed. */
function shown(hosts: readonly Host[], served: string | null) {
  const byId = new Map(hosts.map((host) => [host.id, host]))
  return [...byId.values()].slice(0, MAX_ENDPOINTS).map(({ id, provider }) => {
    return { provider: provider.id, model: id, primary: id === served, reachable: provider.configured !== false }
  })
}

/** From the router's decision, which is in our own words. */
function autoOf(routing: object, chosen: string | null) {
  const { eligible, steering, dropped, ranking } = recordOf(routing)
  return {
    selection: eligible === 1 ? 'single' : 'ranked',
    chosen,
    ranked: recordsIn(ranking).map(({ model }) => model),
    dropped,
    quality_cost: recordOf(steering).quality_cost ?? null,
  }
}
