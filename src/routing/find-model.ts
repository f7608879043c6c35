import type { Catalog, Model, ModelType } from '../catalog/catalog.ts'
import type { Provider } from '../config/provider-settings.ts'
import { problem } from '../contract/problems.ts'
import { isInRegion, regionsOfModel } from '../providers/model-regions.ts'
import type { Region } from '../providers/provider.ts'
import { type Caller, mayUseIndirect, mayUseModel } from '../access/caller.ts'
import type { AppContext } from '../app/context.ts'
import { providerNamed } from './router/provider-named.ts'
import { shortened } from './router/shortened.ts'

/** No provider has longer names. Names are kept in logs, metrics and the ledger. */
const MAX_MODEL_CHARS = 500
const MAX_FOUND = 5_000
const MANY_PROVIDERS = 12

/** A model by its name: its provider, its name there, and its catalog entry. */
export type Place = {
  id: string
  provider: Provider
  model: string
  entry: Model | undefined
  /** The regions that a call to it stays in; see `regionsOfModel`. */
  regions: readonly Region[]
}

type Known = Pick<AppContext, 'config' | 'catalog'>

/** Names that were found before. The map is bounded, because callers choose the names. */
const found = new WeakMap<Catalog, Map<string, Place>>()

export function findModel(id: string, context: Known): Place {
  const place = findAnyModel(id, context)
  refuseEnded([place])
  return place
}

/** Like findModel, but finds models that have ended, too. */
export function findAnyModel(id: string, context: Known): Place {
  const places = found.get(context.catalog) ?? new Map<string, Place>()
  const known = places.get(id)
  if (known) return known
  const place = lookUp(id, context)
  if (places.size >= MAX_FOUND) places.clear()
  found.set(context.catalog, places.set(id, place))
  return place
}

function lookUp(id: string, { config, catalog }: Known): Place {
  if (id.length > MAX_MODEL_CHARS) throw unknownModel(id, config.providers)
  // Only the first slash separates: `fireworks/accounts/x/models/y` is the model `accounts/x/models/y`.
  const slash = id.indexOf('/')
  const named = slash > 0 ? providerNamed(id.slice(0, slash), config.providers) : undefined
  const provider = named?.chatOf ? config.providers[named.chatOf] : named
  const model = id.slice(slash + 1)
  if (!provider || !model) throw unknownModel(id, config.providers)
  const place = placeAt(provider, model, catalog)
  if (!place.entry && provider.closed) throw unknownModel(id, config.providers)
  return place
}

/** Those of the names that are in the catalog. */
export function listedModels(ids: readonly string[], { config, catalog }: Known): Place[] {
  return ids.flatMap((id) => {
    const slash = id.indexOf('/')
    const provider = slash > 0 ? providerNamed(id.slice(0, slash), config.providers) : undefined
    const place = provider && placeAt(provider, id.slice(slash + 1), catalog)
    return place?.entry ? [place] : []
  })
}

/** A model of a provider, whether or not it is in the catalog. */
export function placeAt(provider: Provider, model: string, catalog: Catalog): Place {
  const entry = catalog.find(provider.id, model)
  const regions = entry?.regions ?? regionsOfModel(provider, model, undefined)
  return { id: `${provider.id}/${model}`, provider, model, entry, regions }
}

function unknownModel(id: string, providers: Record<string, Provider>) {
  const ready = Object.values(providers).filter(({ configured }) => configured)
  const names = (ready.length > 0 ? ready : Object.values(providers)).map((provider) => provider.id)
  const more = names.length > MANY_PROVIDERS ? ` and ${names.length - MANY_PROVIDERS} more` : ''
  const message =
    `There is no model '${shortened(id)}'. A model is named provider/model; providers that are set up here: ` +
    `${names.slice(0, MANY_PROVIDERS).join(', ')}${more}. GET /v3/models lists the models.`
  return problem('model_not_found', { message, param: 'model' })
}

/** Says when a provider ended a model, so that nobody looks for a mistake in its name. */
export function endedModel(what: string, day: string) {
  return problem('model_not_found', {
    message: `${what} ended on ${day}: the provider no longer serves it.`,
    param: 'model',
  })
}

/** Refuses models that their provider has ended. An image model of another endpoint is wrong there, ended or not. */
export function refuseEnded(places: readonly Place[], kind: ModelType = 'image'): void {
  for (const { id, entry } of places) {
    const isOfImages = entry?.type === 'image' && kind !== 'image'
    if (entry?.ended && !isOfImages) throw endedModel(`The model '${shortened(id)}'`, entry.ended)
  }
}

/** Refuses models of another kind, and names the endpoint that serves them. */
export function refuseOtherKinds(places: readonly Place[], kind: ModelType, endpoint: string): void {
  const others = places.filter((place) => isOther(place, kind))
  if (others.length === 0) return
  const names = others
    .map(
      ({ id, entry }) => `'${shortened(id)}' (supports: ${entry ? ENDPOINT_OF[entry.type] : 'others'}${endOf(entry)})`,
    )
    .join(', ')
  const message = `Model(s) do not support the ${endpoint} endpoint: ${names}`
  throw problem('unsupported_endpoint', { message, param: 'model' })
}

function endOf(entry: Model | undefined): string {
  return entry?.ended ? `; it ended on ${entry.ended}` : ''
}

/** A model that is not in the catalog may be of any kind that its provider has. */
function isOther({ entry, provider }: Place, kind: ModelType): boolean {
  return entry ? entry.type !== kind : kind === 'chat' && !provider.dialect
}

const ENDPOINT_OF: Record<ModelType, string> = {
  chat: '/chat/completions',
  image: '/images/generations',
  responses: '/responses',
  embedding: '/embeddings',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  moderation: '/moderations',
  rerank: 'none here',
  video: '/universal-ai/async',
}

/** Refuses models that the key, its region or our credentials do not allow. */
export function refuseForbidden({ id, provider, model, regions }: Place, caller: Caller): void {
  if (!mayUseModel(caller, id) || (provider.indirectModels?.test(model) && !mayUseIndirect(caller, id)))
    throw problem('not_allowed', { message: `This key may not use the model '${shortened(id)}'.`, param: 'model' })
  if (!isInRegion(caller.region, regions)) throw outsideRegion(`The model '${shortened(id)}'`, caller)
  if (!provider.configured && caller.kind !== 'sandbox') throw notConfigured(provider)
}

export function outsideRegion(what: string, { region }: Caller) {
  return problem('region_not_allowed', {
    message: `${what} is not available in the region '${region}'.`,
    param: 'model',
  })
}

export function notConfigured({ name, missing, auth }: Provider) {
  const variable = missing ?? auth.env
  return problem('provider_not_configured', {
    message: `${name} has no credential here. Set ${variable} and restart.`,
    param: 'model',
  })
}
