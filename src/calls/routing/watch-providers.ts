import type { CallServices } from '../services/call-services.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import { endOf } from '../../platform/config/credentials/credential.ts'
import type {
  CatalogModel,
  CatalogModelList,
  ProviderState,
  ProviderStateList,
} from '../../contract/admin/providers.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { toObject } from './model-object.ts'
import { mayBeSeen } from './models.ts'

// Providers and models for operators: what can be called, what is missing, what it costs and how fast it is.

/** Every provider, those that can be called first. */
export function watchProviders(
  { config, catalog, circuits }: Pick<CallServices, 'config' | 'catalog' | 'circuits'>,
  processName: string,
): ProviderStateList {
  const models = Map.groupBy(catalog.list(), ({ provider }) => provider)
  const open = circuits.list().filter(({ state }) => state !== 'closed')
  const items = Object.values(config.providers)
    .map(
      (provider): ProviderState => ({
        ...{ id: provider.id, name: provider.name, configured: provider.configured, ...missingOf(provider) },
        ...{ simulated: provider.simulated === true, models: models.get(provider.id)?.length ?? 0 },
        credentials: provider.credentials.map((credential, index) => {
          const asides = open.filter(({ name }) => isOf(name, provider.id, index))
          return {
            ...{ index, name: credential.name ?? null, ends_with: endOf(credential), weight: credential.weight },
            state: asides.length > 0 ? 'failing' : 'ready',
            set_aside: asides.map(({ name, because, retryInMs }) => {
              return { model: name.split(' #')[0]!, because, retry_in_ms: retryInMs }
            }),
          }
        }),
      }),
    )
    .sort(byUse)
  return { process: processName, items }
}

function missingOf({ missing }: Provider) {
  const { variables = [], all = false } = missing ?? {}
  return { missing: [...variables], missing_all: all, missing_for: missing?.for ?? null }
}

/** The name of a circuit is that of the model with the index of the credential: `openai/gpt-4o #0`. */
function isOf(circuit: string, provider: string, credential: number): boolean {
  const [model = '', index] = circuit.split(' #')
  return Number(index) === credential && model.startsWith(`${provider}/`)
}

type Named = { id: string; configured: boolean }

function byUse(one: Named, other: Named): number {
  return Number(other.configured) - Number(one.configured) || (one.id < other.id ? -1 : 1)
}

type CatalogQuery = {
  /** A part of the id, in any case. */
  name?: string | undefined
  provider?: string | undefined
  configured?: boolean | undefined
  type?: string | undefined
  limit: number
  /** The id of the last model of the page before. */
  cursor?: string | undefined
}

/** A page of the catalog. `projects` are callers with everything that a project allows. */
export function watchModels(
  query: CatalogQuery,
  projects: readonly Caller[],
  services: Pick<CallServices, 'config' | 'catalog' | 'observations'>,
): CatalogModelList {
  const { name = '', provider, configured, type, limit, cursor = '' } = query
  const isConfigured = (model: Model) => services.config.providers[model.provider]?.configured === true
  const found = services.catalog
    .list()
    .filter((model) => provider === undefined || model.provider === provider)
    .filter((model) => type === undefined || model.type === type)
    .filter((model) => configured === undefined || isConfigured(model) === configured)
    .map((model) => ({ id: `${model.provider}/${model.id}`, model }))
    .filter(({ id }) => id > cursor && id.toLowerCase().includes(name.toLowerCase()))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  const items = found.slice(0, limit).map(({ model }) => modelShown(model, projects, services))
  return { items, next_cursor: found.length > limit ? items.at(-1)!.id : null }
}

function modelShown(
  model: Model,
  projects: readonly Caller[],
  services: Pick<CallServices, 'config' | 'observations'>,
): CatalogModel {
  const { config } = services
  const { id, pricing, regions } = toObject(model, model.provider)
  const able = projects.filter((caller) => mayBeSeen(model, caller, services)).map(({ project }) => project)
  return {
    ...{ id, provider: model.provider, type: model.type, pricing: pricing ?? null, regions: regions ?? [] },
    configured: config.providers[model.provider]?.configured === true,
    ...{ price_version: model.checked ?? null, price_source: model.source ?? null },
    ...{ context_length: model.context ?? null, retires_at: model.retires_at ?? null },
    ...speedOf(id, services),
    restricted_to: able.length === projects.length ? null : able,
  }
}

function speedOf(id: string, { observations }: Pick<CallServices, 'observations'>) {
  if (!observations.targets.includes(id)) return { first_token_ms: null, tokens_per_second: null, error_rate: null }
  const { firstTokenMs, tokensPerSecond, errorRate } = observations.of(id)
  return {
    first_token_ms: Math.round(firstTokenMs),
    tokens_per_second: Math.round(tokensPerSecond),
    error_rate: Math.round(errorRate * 1_000) / 1_000,
  }
}
