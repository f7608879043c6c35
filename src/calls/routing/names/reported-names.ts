import type { Catalog, Model } from '../../../platform/catalog/catalog.ts'

// Local servers say themselves which models they have. What they said last is kept, so that their models have names without a
// provider, like those of the catalog.

type Reported = Pick<Model, 'id' | 'provider'>

const reported = new WeakMap<Catalog, ReadonlyMap<string, readonly string[]>>()
const NONE: ReadonlyMap<string, readonly string[]> = new Map()

/** Keeps what all local servers of a configuration have reported, in place of what they reported before. */
export function keepReported(catalog: Catalog, models: readonly Reported[]): void {
  const names = new Map<string, string[]>()
  for (const { id, provider } of models)
    for (const name of namesOf(id)) names.set(name, [...(names.get(name) ?? []), `${provider}/${id}`])
  reported.set(catalog, names)
}

/** The ids of models by their names. */
export function reportedNames(catalog: Catalog): ReadonlyMap<string, readonly string[]> {
  return reported.get(catalog) ?? NONE
}

/** Ollama adds the tag `latest` to a name without one, and accepts the name without it. */
function namesOf(id: string): string[] {
  return id.endsWith(':latest') ? [id, id.slice(0, -':latest'.length)] : [id]
}
