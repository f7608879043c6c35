import type { Catalog, Model } from '../../../platform/catalog/catalog.ts'
import type { Note } from '../../../translation/dialects/chat-codec.ts'
import { shortened } from '../router/shortened.ts'
import { distanceWithin, MAX_COMPARED_CHARS } from '../../../base/schema/distance.ts'

/** More typing errors than this make another name. */
const MAX_ERRORS = 3
const CHARS_PER_ERROR = 4
/** A name that begins like a known one (a snapshot of it) is nearer than one with many typing errors. */
const SAME_BEGINNING = 2.5

export type Nearness = { model: Model; distance: number }

/** The models with the most similar names, most similar first. */
export function nearestModels(name: string, models: readonly Model[], max: number): Nearness[] {
  const plainName = plainOf(name)
  if (plainName.length > MAX_COMPARED_CHARS) return []
  const near: Nearness[] = []
  const names = plainNames(models)
  for (const [index, model] of models.entries()) {
    const distance = distanceOf(plainName, names[index]!)
    if (distance !== undefined) near.push({ model, distance })
  }
  return near.sort(byNearness).slice(0, max)
}

/** Tells a caller that a model is not in the catalog, and which one may have been meant. Undefined if none is similar. */
export function noteOfUnknown({ id, model }: { id: string; model: string }, catalog: Catalog): Note | undefined {
  const provider = id.slice(0, id.length - model.length - 1)
  const [nearest] = nearestModels(model, modelsOf(catalog).get(provider) ?? [], 1)
  if (!nearest) return undefined
  const suggestion = `${provider}/${nearest.model.id}`
  const reason = `the catalog does not know '${shortened(id)}', so it was passed on; the nearest known model is '${suggestion}'`
  return { field: 'model', action: 'passed_on', reason }
}

/** The names of the models as they are compared; computed once. */
const plain = new WeakMap<readonly Model[], readonly string[]>()

function plainNames(models: readonly Model[]): readonly string[] {
  const cached = plain.get(models)
  if (cached) return cached
  const names = models.map(({ id }) => plainOf(id))
  plain.set(models, names)
  return names
}

/** Upper case, dots and a maker's name in front make no difference: `Llama-3.1` is `meta-llama/llama-3-1`. */
function plainOf(name: string): string {
  const slash = name.lastIndexOf('/')
  return name
    .slice(slash + 1)
    .toLowerCase()
    .replaceAll(/[._:@ ]/g, '-')
}

function distanceOf(name: string, candidate: string): number | undefined {
  if (candidate.length > MAX_COMPARED_CHARS) return undefined
  const max = Math.min(MAX_ERRORS, Math.max(1, Math.floor(name.length / CHARS_PER_ERROR)))
  const distance = distanceWithin(name, candidate, max)
  if (distance !== undefined && distance <= SAME_BEGINNING) return distance
  return begins(name, candidate) || begins(candidate, name) ? SAME_BEGINNING : distance
}

function begins(long: string, short: string): boolean {
  return short.length > 2 && long.startsWith(`${short}-`)
}

/** Of two that are equally near, the longer name has more in common with what was written. */
function byNearness(one: Nearness, other: Nearness): number {
  return one.distance - other.distance || other.model.id.length - one.model.id.length
}

/** The models of each provider; computed once. */
const byProvider = new WeakMap<Catalog, Map<string, Model[]>>()

function modelsOf(catalog: Catalog): Map<string, Model[]> {
  const cached = byProvider.get(catalog)
  if (cached) return cached
  const made = Map.groupBy(catalog.list(), ({ provider }) => provider)
  byProvider.set(catalog, made)
  return made
}
