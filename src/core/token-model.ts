import type { Catalog } from '../catalog/catalog.ts'
import { problem } from '../contract/problems.ts'
import type { Caller } from './caller.ts'
import { findModel, type Place, refuseForbidden } from './find-model.ts'
import type { Outside } from './outside.ts'
import { providerNamed } from './routing/provider-named.ts'

type Known = Pick<Outside, 'config' | 'catalog'>

/** The model whose tokens are counted. It may be named without its provider, where only one provider has it. */
export function findCounted(name: string, caller: Caller, outside: Known): Place {
  const place = findModel(fullName(name, outside), outside)
  // Counting needs no credential of the provider: without one it is done here.
  refuseForbidden({ ...place, provider: { ...place.provider, configured: true } }, caller)
  return place
}

function fullName(name: string, { config, catalog }: Known): string {
  const slash = name.indexOf('/')
  if (slash > 0 && providerNamed(name.slice(0, slash), config.providers)) return name
  const providers = providersOf(catalog).get(name) ?? []
  if (providers.length > 1) throw ambiguous(name, providers)
  return providers.length === 1 ? `${providers[0]}/${name}` : name
}

/** Who has a model of this name; made once. */
const owners = new WeakMap<Catalog, Map<string, string[]>>()

function providersOf(catalog: Catalog): Map<string, string[]> {
  const known = owners.get(catalog)
  if (known) return known
  const made = new Map<string, string[]>()
  for (const { id, provider } of catalog.list()) made.set(id, [...(made.get(id) ?? []), provider])
  owners.set(catalog, made)
  return made
}

function ambiguous(name: string, providers: readonly string[]) {
  const names = providers.map((provider) => `${provider}/${name}`).join(', ')
  return problem('model_not_found', {
    message: `Several providers have a model '${name}'. Name one of them: ${names}.`,
    param: 'model',
  })
}
