import type { Names } from './names/alias-models.ts'
import type { Model, ModelType } from '../../platform/catalog/catalog.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { ModelObject } from '../../contract/models.ts'
import { rerankWireOf } from '../../translation/dialects/rerank-wires/index.ts'
import { isInRegion } from '../../platform/providers/model-regions.ts'
import { type Caller, mayUseModel, policyAllowsModel, scopesAllowModel } from '../../tenants/access/caller.ts'
import { keepsDataPolicy } from './router/policy-refusals.ts'
import type { CallServices } from '../services/call-services.ts'
import { aliasObjects, objectOfAlias, objectOfUnlisted, type ShownModel } from './alias-objects.ts'
import { isNamedLikeKnown } from './names/bare-names.ts'
import type { ResolvedModel } from './names/resolved-model.ts'
import { resolvedOrNone } from './names/resolve-name.ts'
import { toObject } from './model-object.ts'

/** Kinds of models that an endpoint serves. The catalog may have more kinds. */
export const SERVED_TYPES: readonly ModelType[] = [
  ...(['chat', 'image', 'responses', 'embedding'] as const),
  ...(['moderation', 'speech', 'transcription', 'rerank'] as const),
]
const MODES: Partial<Record<ModelType, string>> = {
  chat: 'chat',
  image: 'image_generation',
  embedding: 'embedding',
  speech: 'tts',
  transcription: 'stt',
  rerank: 'rerank',
}

export type ModelQuery = {
  type?: ModelType | undefined
  /** The whole catalog of the key's region and scopes, and not only what the key can call now. */
  all: boolean
  /** Models of local servers, which are in no catalog. */
  reported: readonly Model[]
}

/** What the key can call now, or with `all` whatever its region and scopes allow. `available` tells them apart. */
export function listModels(caller: Caller, services: Names, query: ModelQuery): ModelObject[] {
  const types = query.type ? [query.type] : SERVED_TYPES
  const models: ModelObject[] = []
  for (const model of [...services.catalog.list(), ...query.reported]) {
    if (!types.includes(model.type) || !isServed(model, services) || !mayBeSeen(model, caller, services)) continue
    const shown = shownTo(model, caller, services)
    if (query.all || shown.available) models.push(shown)
  }
  for (const { shown, type } of aliasObjects(caller, services))
    if (types.includes(type) && (query.all || shown.available)) models.push(shown)
  return models
}

/**
 * A model by any name that a call may use: `provider/model`, an alias, a name without a provider. Undefined if this key may not
 * see it or it does not exist.
 */
export function oneModel(
  name: string,
  caller: Caller,
  services: Names,
  reported: readonly Model[],
): ShownModel | undefined {
  const found = resolvedOrNone(name, { caller }, services)
  if (!found) return undefined
  if (found.alias !== undefined) return objectOfAlias(name, found.models, caller)
  const [resolved] = found.models as [ResolvedModel]
  const { id, entry } = resolved
  const model = entry ?? reported.find((one) => `${one.provider}/${one.id}` === id)
  if (!model) return isNamedLikeKnown(resolved, services) ? objectOfUnlisted(resolved, caller) : undefined
  if (
    (model.ended && !resolved.provider.servesEnded) ||
    !isServed(model, services) ||
    !mayBeSeen(model, caller, services)
  )
    return undefined
  return { shown: shownTo(model, caller, services), type: model.type }
}

/** Some providers rerank in formats that the gateway does not have. */
function isServed({ type, provider }: Model, { config }: Pick<CallServices, 'config'>): boolean {
  if (type !== 'rerank') return SERVED_TYPES.includes(type)
  const row = config.providers[provider]
  return row !== undefined && (row.simulated === true || rerankWireOf(row) !== undefined)
}

export function mayBeSeen(
  { provider, id, regions }: Model,
  caller: Caller,
  { config }: Pick<CallServices, 'config'>,
): boolean {
  if (!isInRegion(caller.region, regions) || !mayUseModel(caller, `${provider}/${id}`)) return false
  const { policy } = caller
  if (policy === null) return true
  return keepsDataPolicy(config.providers[provider] ?? {}, caller) && isInRegion(policy.region ?? 'global', regions)
}

/** Whether a caller can call a model of the catalog now. */
export function mayBeCalled(model: Model, caller: Caller, services: Pick<CallServices, 'config'>): boolean {
  return isServed(model, services) && mayBeSeen(model, caller, services) && isAvailable(model, caller, services)
}

function isAvailable(model: Model, caller: Caller, { config }: Pick<CallServices, 'config'>): boolean {
  const provider = config.providers[model.provider]
  return caller.kind === 'sandbox' || (provider?.configured === true && isDirect(model, provider, caller))
}

function shownTo(model: Model, caller: Caller, services: Pick<CallServices, 'config'>) {
  const provider = services.config.providers[model.provider]
  return {
    ...toObject(model, provider?.name ?? model.provider),
    available: isAvailable(model, caller, services),
  }
}

/** Some names stand for a model that the provider chooses. A key with scopes for models needs one for that. */
function isDirect({ id, provider: name }: Model, { indirectModels }: Provider, caller: Caller): boolean {
  if (!indirectModels?.test(id)) return true
  const named = { name: `${name}/${id}`, isIndirect: true }
  return scopesAllowModel(caller, named) && policyAllowsModel(caller, named)
}

/** Like listModels, but grouped by bare name, with all providers of a model together. */
export function groupModels(models: readonly ModelObject[], { catalog }: Pick<CallServices, 'catalog'>) {
  const groups = Map.groupBy(models, ({ model_name }) => bareName(model_name))
  return Array.from(groups, ([id, endpoints]) => {
    const { owned_by, model_name } = endpoints[0]!
    return {
      id,
      object: 'model' as const,
      created: Math.max(...endpoints.map(({ created }) => created)),
      owned_by,
      mode: modeOf(catalog.find(owned_by, model_name)),
      endpoint_count: endpoints.length,
      endpoints,
    }
  })
}

function modeOf(model: Model | undefined): string | null {
  return (model && MODES[model.type]) ?? null
}

/** `accounts/fireworks/models/llama-x` and `meta-llama/llama-x` are both `llama-x`. */
export function bareName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}
