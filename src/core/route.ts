import type { Catalog, Model, ModelType } from '../catalog/catalog.ts'
import type { Provider } from '../config/provider-settings.ts'
import type { ChatRequest } from '../contract/chat.ts'
import { problem } from '../contract/problems.ts'
import type { Target } from '../dialects/dialect.ts'
import { type Caller, mayUseModel } from './caller.ts'
import type { Outside } from './outside.ts'

/** No provider has longer names; they are kept in logs, metrics and the ledger. */
const MAX_MODEL_CHARS = 500

/** A model of a provider, ready to be asked: where, with which key, at which price. */
export type ChatTarget = Target & {
  /** The gateway's name of the model: `provider/model`. */
  id: string
  provider: Provider
  entry: Model | undefined
}

/** The model and its fallbacks in order. All are checked before any is called, so that a typo never hides behind a success. */
export function route(request: ChatRequest, caller: Caller, outside: Outside): ChatTarget[] {
  const ids = [request.model, ...(request.fallbacks ?? [])]
  const places = ids.map((id) => findModel(id, outside))
  refuseOtherEndpoints(places)
  for (const place of places) refuseForbidden(place, caller)
  return places.map((place) => toTarget(place, caller, outside))
}

type Place = { id: string; provider: Provider; model: string; entry: Model | undefined }

/** Names that were found before; a bounded memory, because callers choose the names. */
const found = new WeakMap<Catalog, Map<string, Place>>()
const MAX_FOUND = 5_000

function findModel(id: string, outside: Outside): Place {
  const places = found.get(outside.catalog) ?? new Map<string, Place>()
  const known = places.get(id)
  if (known) return known
  const place = lookUp(id, outside)
  if (places.size >= MAX_FOUND) places.clear()
  found.set(outside.catalog, places.set(id, place))
  return place
}

function lookUp(id: string, { config, catalog }: Outside): Place {
  if (id.startsWith('@')) {
    throw problem('not_implemented', {
      message: 'Dynamic routing is not available yet. Name a model as provider/model.',
      param: 'model',
    })
  }
  if (id.length > MAX_MODEL_CHARS) throw unknownModel(id, config.providers)
  // Only the first slash divides: `fireworks/accounts/x/models/y` is the model `accounts/x/models/y`.
  const slash = id.indexOf('/')
  const provider = slash > 0 ? ownProvider(config.providers, id.slice(0, slash)) : undefined
  const model = id.slice(slash + 1)
  if (!provider || !model) throw unknownModel(id, config.providers)
  const entry = catalog.find(provider.id, model)
  if (!entry && provider.closed) throw unknownModel(id, config.providers)
  return { id, provider, model, entry }
}

function ownProvider(providers: Record<string, Provider>, name: string): Provider | undefined {
  return Object.hasOwn(providers, name) ? providers[name] : undefined
}

function unknownModel(id: string, providers: Record<string, Provider>) {
  const prefixes = Object.keys(providers).join(', ')
  const message = `There is no model '${shortened(id)}'. A model is named provider/model; providers here: ${prefixes}.`
  return problem('model_not_found', { message, param: 'model' })
}

function refuseOtherEndpoints(places: Place[]) {
  const others = places.filter(({ entry }) => entry && entry.type !== 'chat')
  if (others.length === 0) return
  const names = others.map(({ id, entry }) => `'${id}' (supports: ${ENDPOINT_OF[entry!.type]})`).join(', ')
  const message = `Model(s) do not support the chat completions endpoint: ${names}`
  throw problem('unsupported_endpoint', { message, param: 'model' })
}

const ENDPOINT_OF: Record<ModelType, string> = {
  chat: '/chat/completions',
  image: '/images/generations',
  responses: '/responses',
  embedding: '/embeddings',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  moderation: '/moderations',
  rerank: '/rerank',
  video: '/videos',
}

function refuseForbidden({ id, provider, entry }: Place, caller: Caller) {
  if (!mayUseModel(caller, id))
    throw problem('not_allowed', { message: `This key may not use the model '${shortened(id)}'.`, param: 'model' })
  const regions = entry?.regions ?? provider.regions ?? ['global']
  if (caller.region !== 'global' && !regions.includes(caller.region)) {
    throw problem('region_not_allowed', {
      message: `The model '${shortened(id)}' is not available in the region '${caller.region}'.`,
      param: 'model',
    })
  }
  if (!provider.configured && caller.kind !== 'sandbox') {
    throw problem('provider_not_configured', {
      message: `${provider.name} has no credential here. Set ${provider.auth.env} and restart.`,
      param: 'model',
    })
  }
}

function toTarget(place: Place, caller: Caller, outside: Outside): ChatTarget {
  const { id, provider, model, entry } = caller.kind === 'sandbox' ? inSandbox(place, outside) : place
  return {
    id,
    provider,
    model,
    entry,
    baseUrl: provider.baseUrl,
    credential: nextCredential(provider),
    quirks: provider.quirks,
  }
}

/** A sandbox key gets the real shapes from the simulated provider, whatever model it names; only rehearsals keep their name. */
function inSandbox({ id, provider, model }: Place, { config, catalog }: Outside): Place {
  const sandbox = config.providers.sandbox!
  return { id, provider: sandbox, model: provider === sandbox ? model : 'echo', entry: catalog.find('sandbox', 'echo') }
}

const turns = new WeakMap<Provider, number>()

/** Several keys of one provider take turns. */
export function nextCredential(provider: Provider): string | undefined {
  const turn = turns.get(provider) ?? 0
  turns.set(provider, turn + 1)
  return provider.credentials[turn % provider.credentials.length]
}

function shortened(id: string): string {
  return id.length > 100 ? `${id.slice(0, 100)}…` : id
}
