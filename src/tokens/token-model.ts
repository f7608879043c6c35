import type { Catalog } from '../catalog/catalog.ts'
import { isInRegion } from '../providers/model-regions.ts'
import { counterFor } from './counters/index.ts'
import { type Caller, mayUseModel } from '../access/caller.ts'
import { findModel, type Place, refuseForbidden } from '../routing/find-model.ts'
import type { AppContext } from '../app/context.ts'
import { providerNamed } from '../routing/router/provider-named.ts'

type Known = Pick<AppContext, 'config' | 'catalog'>

/** Finds the model to count for. The caller may omit the provider. */
export function findCounted(name: string, caller: Caller, context: Known): Place {
  const place = findModel(fullName(name, caller, context), context)
  // Counting needs no credential: without one, the gateway estimates.
  refuseForbidden({ ...place, provider: { ...place.provider, configured: true } }, caller)
  return place
}

/**
 * A model has the same vocabulary at every host. The best host counts: one that this key may use, then one that counts itself
 * and has a credential here, then the first row of the providers, makers before hosts.
 */
function fullName(name: string, caller: Caller, { config, catalog }: Known): string {
  const slash = name.indexOf('/')
  const named = slash > 0 ? providerNamed(name.slice(0, slash), config.providers) : undefined
  if (named && (!named.closed || catalog.find(named.id, name.slice(slash + 1)))) return name
  const hosts = hostsOf(catalog).get(name) ?? []
  if (hosts.length === 0) return name
  const rows = Object.keys(config.providers)
  const ranked = hosts.map((id) => ({
    id,
    ranks: [rankOf(`${id}/${name}`, caller, { config, catalog }), rows.indexOf(id)],
  }))
  ranked.sort((one, other) => one.ranks[0]! - other.ranks[0]! || one.ranks[1]! - other.ranks[1]!)
  return `${ranked[0]!.id}/${name}`
}

/** Lower is better. */
function rankOf(id: string, caller: Caller, context: Known): number {
  const { provider, model, regions } = findModel(id, context)
  const isForbidden = !isInRegion(caller.region, regions) || !mayUseModel(caller, id)
  const isExact = provider.configured && counterFor(provider, model) !== undefined
  return (isForbidden ? 2 : 0) + (isExact ? 0 : 1)
}

/** Providers with a model of this name; computed once. */
const hosts = new WeakMap<Catalog, Map<string, string[]>>()

function hostsOf(catalog: Catalog): Map<string, string[]> {
  const known = hosts.get(catalog)
  if (known) return known
  const made = new Map<string, string[]>()
  for (const { id, provider } of catalog.list()) made.set(id, [...(made.get(id) ?? []), provider])
  hosts.set(catalog, made)
  return made
}
