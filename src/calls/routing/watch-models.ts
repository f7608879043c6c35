import type { CallServices } from '../services/call-services.ts'
import type { Capability, Model } from '../../platform/catalog/catalog.ts'
import type { CatalogModel, CatalogModelList, ModelDetail } from '../../contract/admin/providers.ts'
import { problem } from '../../contract/problems.ts'
import { type Caller, sightOf } from '../../tenants/access/caller.ts'
import { aliasObjects, objectOfAlias } from './alias-objects.ts'
import { modelsOfAlias, type Names } from './names/alias-models.ts'
import { toObject } from './model-object.ts'
import { bareName, mayBeCalled, mayBeSeen } from './models.ts'
import { popularityOf } from './watch-providers.ts'
import { circuitsShown, speedOf } from './watch-targets.ts'

// Models for people: what they may use, what it costs and how fast it is. Operators see the whole catalog, all others what
// their projects may call now.

type Services = Names & Pick<CallServices, 'observations' | 'circuits'>

export type ModelViewer = {
  /** Callers with everything that a project allows, one for each project that the person sees. */
  callers: readonly Caller[]
  isOperator: boolean
  /** The models of local servers, which are in no catalog. */
  reported: readonly Model[]
  processName: string
}

type CatalogQuery = {
  /** A part of the id or of the name, in any case. */
  name?: string | undefined
  provider?: string | undefined
  configured?: boolean | undefined
  type?: string | undefined
  capability?: Capability | undefined
  min_context?: number | undefined
  /** Only what this project may use. */
  project?: string | undefined
  order?: 'name' | 'popular' | undefined
  limit: number
  /** The id of the last model of the page before. */
  cursor?: string | undefined
}

/** What callers can send as `model`, with what decides whether it is listed. `object` is there for aliases. */
type Entry = { id: string; model: Model | undefined; shown: ReturnType<typeof toObject>; type: string }

/** A page of the models that the person may know. */
export function watchModels(query: CatalogQuery, viewer: ModelViewer, services: Services): CatalogModelList {
  const { project, limit, cursor } = query
  const callers = viewer.callers.filter((caller) => project === undefined || caller.project === project)
  const entries = entriesFor({ ...viewer, callers, isOperator: viewer.isOperator && project === undefined }, services)
  const wanted = entries.filter((entry) => isWanted(entry, query, services))
  const inOrder = wanted.sort(query.order === 'popular' ? byPopularity(services) : byName)
  const start = cursor === undefined ? 0 : positionAfter(cursor, inOrder, query.order)
  const page = inOrder.slice(start, start + limit)
  return {
    items: page.map((entry) => modelShown(entry, viewer, services)),
    next_cursor: start + limit < inOrder.length ? page.at(-1)!.id : null,
  }
}

/** One model or alias. A model that the person may not know answers as one that does not exist. */
export function watchModel(id: string, viewer: ModelViewer, services: Services): ModelDetail {
  const entries = entriesFor(viewer, services)
  const found = entries.find((entry) => entry.id === id)
  if (!found) throw problem('not_found', { message: 'There is no such model, or none of your projects may use it.' })
  const isSame = (entry: Entry) => entry.model && entry.id !== id && bareName(entry.id) === bareName(id)
  const hosts = found.model ? entries.filter(isSame).map((entry) => modelShown(entry, viewer, services)) : []
  return {
    ...modelShown(found, viewer, services),
    hosts: hosts.map(({ id, provider, configured, pricing, context_length, regions }) => {
      return { id, provider, configured, pricing, context_length, regions }
    }),
    aliases: aliasesTo(id, viewer, services),
    circuits: viewer.isOperator
      ? circuitsShown(services, viewer.processName).filter(({ model }) => model === id)
      : null,
  }
}

function entriesFor(viewer: ModelViewer, services: Services): Entry[] {
  const { isOperator, reported } = viewer
  const callers = withDifferentSight(viewer.callers)
  const isKnown = (model: Model) => isOperator || callers.some((caller) => mayBeCalled(model, caller, services))
  const models = [...services.catalog.list(), ...reported].filter(isKnown).map(entryOf)
  return isOperator ? models : [...models, ...aliasEntries(callers, services)]
}

function entryOf(model: Model): Entry {
  const shown = toObject(model, model.provider)
  return { id: shown.id, model, shown: { ...shown, name: model.name ?? model.id }, type: model.type }
}

/** Operators have a list of aliases. For all others an alias is a name like any other. */
function aliasEntries(callers: readonly Caller[], services: Names): Entry[] {
  const byName = new Map<string, Entry>()
  for (const caller of callers)
    for (const { shown, type } of aliasObjects(caller, services))
      if (shown.available) byName.set(shown.id, { id: shown.id, model: undefined, shown, type })
  return [...byName.values()]
}

/** Most projects allow the same. */
function withDifferentSight(callers: readonly Caller[]): Caller[] {
  return [...new Map(callers.map((caller) => [JSON.stringify(sightOf(caller)), caller])).values()]
}

function isConfigured(provider: string, { config }: Pick<CallServices, 'config'>): boolean {
  return config.providers[provider]?.configured === true
}

function isWanted({ id, model, shown, type }: Entry, query: CatalogQuery, services: Services): boolean {
  const { name = '', provider, capability, min_context = 0 } = query
  const wanted = name.toLowerCase()
  return (
    (provider === undefined || shown.owned_by === provider) &&
    (query.type === undefined || type === query.type) &&
    (query.configured === undefined || isConfigured(shown.owned_by, services) === query.configured) &&
    (capability === undefined || model?.can.includes(capability) === true) &&
    (shown.context_length ?? 0) >= min_context &&
    (id.toLowerCase().includes(wanted) || shown.name?.toLowerCase().includes(wanted) === true)
  )
}

function byName(one: Entry, other: Entry): number {
  return one.id < other.id ? -1 : 1
}

/** What can be called first: aliases, then the providers that most people look for, and of each of them the newest models. */
function byPopularity(services: Services) {
  const away = ({ shown }: Entry) => Number(!isConfigured(shown.owned_by, services))
  const rank = ({ model }: Entry) => (model ? (popularityOf(model.provider) ?? Number.MAX_SAFE_INTEGER) : 0)
  return (one: Entry, other: Entry): number =>
    away(one) - away(other) || rank(one) - rank(other) || other.shown.created - one.shown.created || byName(one, other)
}

/** By name, a model that has disappeared in the meantime still has a place. In another order, the list ends where it was. */
function positionAfter(cursor: string, inOrder: readonly Entry[], order: CatalogQuery['order'] = 'name'): number {
  const at = inOrder.findIndex(({ id }) => (order === 'name' ? id > cursor : id === cursor))
  if (at < 0) return inOrder.length
  return order === 'name' ? at : at + 1
}

function modelShown({ id, model, shown, type }: Entry, viewer: ModelViewer, services: Services): CatalogModel {
  const { callers, isOperator } = viewer
  const { pricing, regions = [], capabilities, name = id } = shown
  const able = model ? callers.filter((caller) => mayBeSeen(model, caller, services)).map(({ project }) => project) : []
  return {
    id,
    name,
    provider: shown.owned_by,
    type,
    alias_of: shown.alias_of ?? null,
    description: shown.description ?? null,
    configured: isConfigured(shown.owned_by, services),
    pricing: pricing ?? null,
    price_version: model?.checked ?? null,
    price_source: model?.source ?? null,
    context_length: shown.context_length ?? null,
    max_output_tokens: shown.max_output_tokens ?? null,
    capabilities: [...(model?.can ?? [])],
    input_modalities: capabilities?.input_modalities ?? [],
    output_modalities: capabilities?.output_modalities ?? [],
    regions,
    released: model?.released ?? null,
    retires_at: shown.retires_at ?? null,
    replaced_by: shown.replaced_by ?? null,
    ...(isOperator ? speedOf(id, services) : UNMEASURED),
    restricted_to: !model || able.length === callers.length ? null : able,
  }
}

/** What was measured in calls of others is not for everyone. */
const UNMEASURED = { first_token_ms: null, tokens_per_second: null, error_rate: null }

/** Of hidden aliases, and of those that the person may not use, only operators know. */
function aliasesTo(id: string, { callers, isOperator }: ModelViewer, services: Services): string[] {
  const asking = callers.slice(0, isOperator ? 1 : callers.length)
  const leadsTo = (name: string, caller: Caller) => {
    const found = services.aliases.find(name)
    if (!found) return false
    const models = modelsOfAlias(found, name, { caller, affinity: () => 0 }, services)
    if (!models.some((resolved) => resolved.id === id)) return false
    return isOperator || (!found.alias.hidden && objectOfAlias(name, models, caller)?.shown.available === true)
  }
  const names = services.aliases.list().map(({ name }) => name)
  const seen = withDifferentSight(asking)
  return names.filter((name) => seen.some((caller) => leadsTo(name, caller)))
}
