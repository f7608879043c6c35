import type { Model, ModelType } from '../catalog/catalog.ts'
import type { Provider } from '../config/provider-settings.ts'
import type { ModelObject } from '../contract/models.ts'
import { isInRegion } from '../providers/model-regions.ts'
import { REGIONS, type Region } from '../providers/provider.ts'
import { type Caller, mayUseIndirect, mayUseModel } from '../access/caller.ts'
import { pricingOf } from '../billing/model-pricing.ts'
import type { AppContext } from '../app/context.ts'

/** Kinds of models that an endpoint serves. The catalog may have more kinds. */
const SERVED: readonly ModelType[] = [
  ...(['chat', 'image', 'responses', 'embedding'] as const),
  ...(['moderation', 'speech', 'transcription'] as const),
]
const REGION_NAMES: Record<Region, string> = { global: 'Global', eu: 'Europe', us: 'United States' }
const MODES: Partial<Record<ModelType, string>> = {
  chat: 'chat',
  image: 'image_generation',
  embedding: 'embedding',
  speech: 'tts',
  transcription: 'stt',
}

export type ModelQuery = {
  type?: ModelType | undefined
  /** The whole catalog of the key's region and scopes, and not only what the key can call now. */
  all: boolean
  /** Models of local servers, which are in no catalog. */
  reported: readonly Model[]
}

/** What the key can call now, or with `all` whatever its region and scopes allow. `available` tells them apart. */
export function listModels(caller: Caller, context: AppContext, query: ModelQuery): ModelObject[] {
  const types = query.type ? [query.type] : SERVED
  const models: ModelObject[] = []
  for (const model of [...context.catalog.list(), ...query.reported]) {
    if (!types.includes(model.type) || !mayBeSeen(model, caller)) continue
    const shown = shownTo(model, caller, context)
    if (query.all || shown.available) models.push(shown)
  }
  return models
}

/** Finds a model by its id; undefined if this key may not see it or it does not exist. */
export function oneModel(
  id: string,
  caller: Caller,
  context: AppContext,
  reported: readonly Model[],
): ModelObject | undefined {
  const slash = id.indexOf('/')
  const [provider, name] = [id.slice(0, slash), id.slice(slash + 1)]
  const model =
    context.catalog.find(provider, name) ?? reported.find((one) => one.id === name && one.provider === provider)
  if (!model || model.ended || !SERVED.includes(model.type) || !mayBeSeen(model, caller)) return undefined
  return shownTo(model, caller, context)
}

function mayBeSeen({ provider, id, regions }: Model, caller: Caller): boolean {
  return isInRegion(caller.region, regions) && mayUseModel(caller, `${provider}/${id}`)
}

function shownTo(model: Model, caller: Caller, { config }: AppContext) {
  const provider = config.providers[model.provider]
  const available = caller.kind === 'sandbox' || (provider?.configured === true && isDirect(model, provider, caller))
  return { ...toObject(model, provider?.name ?? model.provider), available }
}

/** Some names stand for a model that the provider chooses. A key with scopes for models needs one for that. */
function isDirect({ id, provider: name }: Model, { indirectModels }: Provider, caller: Caller): boolean {
  return !indirectModels?.test(id) || mayUseIndirect(caller, `${name}/${id}`)
}

/** Like listModels, but grouped by bare name, with all providers of a model together. */
export function groupModels(models: readonly ModelObject[], { catalog }: AppContext) {
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
function bareName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

function toObject(model: Model, providerName: string): ModelObject {
  const pricing = pricingOf(model)
  return {
    id: `${model.provider}/${model.id}`,
    object: 'model',
    created: model.created,
    owned_by: model.provider,
    model_name: model.id,
    name: `${providerName}: ${model.id}`,
    context_length: model.context,
    max_output_tokens: model.output,
    description: model.description ?? null,
    source: null,
    capabilities: capabilitiesOf(model),
    pricing,
    list_pricing: pricing,
    discount: null,
    regions: regionsShown(model.regions),
    alias_of: null,
    ...(model.retires_at && { retires_at: model.retires_at }),
    ...(model.replaced_by && { replaced_by: model.replaced_by }),
  }
}

export function regionsShown(regions: readonly Region[]): { code: Region; name: string }[] {
  return REGIONS.filter((region) => regions.includes(region)).map((code) => ({ code, name: REGION_NAMES[code] }))
}

function capabilitiesOf({ can, modalities, traits, type }: Model) {
  return {
    input_modalities: modalities ? [...modalities.input] : can.includes('vision') ? ['text', 'image'] : ['text'],
    output_modalities: modalities ? [...modalities.output] : type === 'image' ? ['image'] : ['text'],
    supports_reasoning: can.includes('reasoning'),
    supports_web_search: can.includes('web_search'),
    supports_function_calling: can.includes('tools'),
    supports_tool_choice: can.includes('tools'),
    supports_response_schema: can.includes('json_schema'),
    supports_pdf_input: can.includes('files'),
    supports_assistant_prefill: traits?.prefill === true,
    supports_system_messages: !traits?.lacks?.includes('system'),
    supports_native_streaming: type === 'chat',
  }
}
