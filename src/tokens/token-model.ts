import type { Catalog } from '../catalog/catalog.ts'
import { isInRegion } from '../providers/model-regions.ts'
import { counterFor } from './counters/index.ts'
import { type Caller, mayUseModel } from '../access/caller.ts'
import { findModel, type Place, refuseForbidden } from '../routing/find-model.ts'
import type { AppContext } from '../app/context.ts'
import { providerNamed } from '../routing/router/provider-named.ts'

type Known = Pick<AppContext, 'config' | 'catalog'>

/** The model whose tokens are counted. It may be named without its provider. */
export function findCounted(name: string, caller: Caller, context: Known): Place {
  const place = findModel(fullName(name, caller, context), context)
  // Counting needs no credential of the provider: without one it is done here.
  refuseForbidden({ ...place, provider: { ...place.provider, configured: true } }, caller)
  return place
}

/**
 * A model is the same under every host, and so is its vocabulary. Of several hosts the best counts: one that this key may
 * use, then one that counts itself and has a credential here, then the first of the providers' rows, makers before hosts.
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

/** Who has a model of this name; made once. */
const hosts = new WeakMap<Catalog, Map<string, string[]>>()

function hostsOf(catalog: Catalog): Map<string, string[]> {
  const known = hosts.get(catalog)
  if (known) return known
  const made = new Map<string, string[]>()
  for (const { id, provider } of catalog.list()) made.set(id, [...(made.get(id) ?? []), provider])
  hosts.set(catalog, made)
  return made
}
