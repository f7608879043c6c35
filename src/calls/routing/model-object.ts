import { pricingOf } from '../../money/billing/model-pricing.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import type { ModelObject } from '../../contract/models.ts'
import { REGIONS, type Region } from '../../platform/providers/provider.ts'

const REGION_NAMES: Record<Region, string> = { global: 'Global', eu: 'Europe', us: 'United States' }

/** A model as lists show it. */
export function toObject(model: Model, providerName: string): ModelObject {
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

function capabilitiesOf({ can, modalities, traits, type, price }: Model) {
  return {
    input_modalities: modalities ? [...modalities.input] : can.includes('vision') ? ['text', 'image'] : ['text'],
    output_modalities: modalities ? [...modalities.output] : type === 'image' ? ['image'] : ['text'],
    supports_reasoning: can.includes('reasoning'),
    supports_web_search: can.includes('web_search'),
    supports_function_calling: can.includes('tools'),
    supports_prompt_caching: price?.cacheRead !== undefined,
    supports_embedding_image_input: type === 'embedding' && modalities?.input.includes('image') === true,
    // No source says it of single models: false means that it is not known, as everywhere here.
    supports_parallel_function_calling: false,
    supports_computer_use: false,
    supports_tool_choice: can.includes('tools'),
    supports_response_schema: can.includes('json_schema'),
    supports_pdf_input: can.includes('files'),
    supports_assistant_prefill: traits?.prefill === true,
    supports_system_messages: !traits?.lacks?.includes('system'),
    supports_native_streaming: type === 'chat',
  }
}
