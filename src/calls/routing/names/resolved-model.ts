import type { Catalog, Model } from '../../../platform/catalog/catalog.ts'
import type { Alias } from '../../../platform/config/aliases/alias.ts'
import { providerNamed } from '../../../platform/config/provider-named.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import type { Note } from '../../../translation/dialects/chat-codec.ts'
import { regionsOfModel } from '../../../platform/providers/model-regions.ts'
import type { Region } from '../../../platform/providers/provider.ts'
import type { CallServices } from '../../services/call-services.ts'
import { noteOfUnknown } from './nearest-names.ts'

/** No provider has longer names. Names are kept in logs, metrics and the ledger. */
export const MAX_MODEL_CHARS = 500
const MAX_FOUND = 5_000

/** A model by its name: its provider, its name there, and its catalog entry. */
export type ResolvedModel = {
  id: string
  provider: Provider
  model: string
  entry: Model | undefined
  /** The regions that a call to it stays in; see `regionsOfModel`. */
  regions: readonly Region[]
  /** The one of them that the name demands: `gpt-5@eu`. */
  demanded?: Region | undefined
  /** For the caller of a model that the catalog does not know, or calls ended. */
  note?: Note | undefined
  /** How an alias reached it; absent if the caller named the model. */
  via?: Via | undefined
}

/** The alias that the caller named, and what it says about this target. */
export type Via = {
  /** What the caller wrote. A scope for it is a scope for the targets of the alias. */
  requested: string
  alias: Pick<Alias, 'retries' | 'timeouts' | 'defaults'>
  /** The name of the credential that the target has to use. */
  credential?: string | undefined
  /** Distinguishes addresses of one model; absent for the address of its provider. */
  address?: string | undefined
}

export type ModelServices = Pick<CallServices, 'config' | 'catalog'>

/** Names that were found before, for one configuration. The map is bounded, because callers choose the names. */
const found = new WeakMap<Catalog, { config: ModelServices['config']; models: Map<string, ResolvedModel> }>()

/** The model `provider/model`, or undefined if there is no such provider, or the provider has no such model. */
export function findModel(id: string, services: ModelServices): ResolvedModel | undefined {
  const memory = memoryOf(services)
  const cached = memory.get(id)
  if (cached) return cached
  const resolved = lookUp(id, services)
  if (!resolved) return undefined
  if (memory.size >= MAX_FOUND) memory.clear()
  memory.set(id, resolved)
  return resolved
}

function memoryOf({ config, catalog }: ModelServices): Map<string, ResolvedModel> {
  const cached = found.get(catalog)
  if (cached?.config === config) return cached.models
  const models = new Map<string, ResolvedModel>()
  found.set(catalog, { config, models })
  return models
}

function lookUp(id: string, { config, catalog }: ModelServices): ResolvedModel | undefined {
  if (id.length > MAX_MODEL_CHARS) return undefined
  const { provider, model } = splitName(withoutCollection(id), config.providers)
  if (!provider || !model) return undefined
  const resolved = modelAt(provider, model, catalog)
  if (resolved.entry) return resolved
  return provider.strict ? undefined : { ...resolved, note: noteOfUnknown(resolved, catalog) }
}

/** Clients of Google write `models/` before the name of a model, and lists in its format do, too. */
export function withoutCollection(name: string): string {
  return name.startsWith(COLLECTION) ? name.slice(COLLECTION.length) : name
}

const COLLECTION = 'models/'

/** Only the first slash separates: `fireworks/accounts/x/models/y` is the model `accounts/x/models/y`. */
export function splitName(id: string, providers: Record<string, Provider>) {
  const slash = id.indexOf('/')
  const named = slash > 0 ? providerNamed(id.slice(0, slash), providers) : undefined
  const provider = named?.chatOf ? providers[named.chatOf] : named
  return { provider, model: id.slice(slash + 1) }
}

/** A model of a provider, whether or not it is in the catalog. */
export function modelAt(provider: Provider, model: string, catalog: Catalog): ResolvedModel {
  const entry = catalog.find(provider.id, model)
  const regions = entry?.regions ?? regionsOfModel(provider, model, undefined)
  const resolved = { id: `${provider.id}/${model}`, provider, model, entry, regions }
  return entry?.ended && provider.servesEnded ? { ...resolved, note: endedNote(entry.ended) } : resolved
}

function endedNote(day: string): Note {
  const reason = `its maker ended this model on ${day}; the gateway still asks for it because of the operator's settings`
  return { field: 'model', action: 'passed_on', reason }
}

/** Those of the names that are in the catalog. */
export function listedModels(ids: readonly string[], { config, catalog }: ModelServices): ResolvedModel[] {
  return ids.flatMap((id) => {
    const slash = id.indexOf('/')
    const provider = slash > 0 ? providerNamed(id.slice(0, slash), config.providers) : undefined
    const resolved = provider && modelAt(provider, id.slice(slash + 1), catalog)
    return resolved?.entry ? [resolved] : []
  })
}
