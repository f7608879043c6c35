import type { Model, Price } from '../catalog/catalog.ts'
import type { ModelObject } from '../contract/models.ts'
import { REGIONS, type Region } from '../providers/provider.ts'
import { type Caller, mayUseModel } from './caller.ts'
import type { Outside } from './outside.ts'

/** Kinds of models that an endpoint serves today; the catalog may know more. */
const SERVED: ReadonlySet<Model['type']> = new Set(['chat'])
const REGION_NAMES: Record<Region, string> = { global: 'Global', eu: 'Europe', us: 'United States' }
const PER_TOKEN = 1_000_000

/** What this key may use: a provider that is set up, its region, its scopes. */
export function listModels(caller: Caller, { catalog, config }: Outside): ModelObject[] {
  return catalog
    .list()
    .filter(
      (model) => SERVED.has(model.type) && (caller.kind === 'sandbox' || config.providers[model.provider]?.configured),
    )
    .filter((model) => caller.region === 'global' || model.regions.includes(caller.region))
    .filter((model) => mayUseModel(caller, `${model.provider}/${model.id}`))
    .map((model) => toObject(model, config.providers[model.provider]?.name ?? model.provider))
}

function toObject(model: Model, providerName: string): ModelObject {
  const pricing = model.price && pricingOf(model.price)
  return {
    id: `${model.provider}/${model.id}`,
    object: 'model',
    created: model.created ?? 0,
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
    regions: REGIONS.filter((region) => model.regions.includes(region)).map((code) => ({
      code,
      name: REGION_NAMES[code],
    })),
    alias_of: null,
  }
}

function pricingOf({ input, output, cacheRead, cacheWrite, tiers }: Price): NonNullable<ModelObject['pricing']> {
  const each = (perMillion: number) => Number((perMillion / PER_TOKEN).toPrecision(12))
  return {
    input_cost_per_token: each(input),
    output_cost_per_token: each(output),
    ...(cacheRead !== undefined && { cache_read_input_token_cost: each(cacheRead) }),
    ...(cacheWrite !== undefined && { cache_creation_input_token_cost: each(cacheWrite) }),
    ...(tiers && {
      tiered_pricing: tiers.map(({ above, ...rates }) => ({ above_input_tokens: above, ...pricingOf(rates) })),
    }),
  }
}

function capabilitiesOf({ can }: Model) {
  return {
    input_modalities: can.includes('vision') ? ['text', 'image'] : ['text'],
    output_modalities: ['text'],
    supports_reasoning: can.includes('reasoning'),
    supports_function_calling: can.includes('tools'),
    supports_tool_choice: can.includes('tools'),
    supports_system_messages: true,
    supports_native_streaming: true,
  }
}
