import type { ImagePrice, Model, Price } from '../../platform/catalog/catalog.ts'
import type { ModelPricing } from '../../contract/models.ts'

const PER_TOKEN = 1_000_000

type PricedModel = Pick<Model, 'price' | 'perImage' | 'per' | 'perSearchContext'>

/** A model's prices as the list of models shows them; null if no source gives a price. */
export function pricingOf({ price, perImage, per, perSearchContext }: PricedModel): ModelPricing | null {
  if (!price && !perImage && !per) return null
  return {
    ...(price && ofTokens(price)),
    ...(perImage && ofImages(perImage)),
    ...Object.fromEntries(Object.entries(per ?? {}).map(([unit, usd]) => [`cost_per_${unit}`, usd])),
    ...(perSearchContext && { cost_per_request_by_search_context: { ...perSearchContext } }),
  }
}

function ofTokens(price: Price): ModelPricing {
  const { input, output, cacheRead, cacheWrite, audioInput, audioOutput, imageInput, imageOutput } = price
  const { tiers, serviceTiers } = price
  const each = (perMillion: number) => Number((perMillion / PER_TOKEN).toPrecision(12))
  return {
    input_cost_per_token: each(input),
    output_cost_per_token: each(output),
    ...(cacheRead !== undefined && { cache_read_input_token_cost: each(cacheRead) }),
    ...(cacheWrite !== undefined && { cache_creation_input_token_cost: each(cacheWrite) }),
    ...(audioInput !== undefined && { input_cost_per_audio_token: each(audioInput) }),
    ...(audioOutput !== undefined && { output_cost_per_audio_token: each(audioOutput) }),
    ...(imageInput !== undefined && { input_cost_per_image_token: each(imageInput) }),
    ...(imageOutput !== undefined && { output_cost_per_image_token: each(imageOutput) }),
    ...(tiers?.length && {
      tiered_pricing: tiers.map(({ above, ...rates }) => ({ above_input_tokens: above, ...ofTokens(rates) })),
    }),
    ...(serviceTiers && {
      service_tiers: Object.fromEntries(Object.entries(serviceTiers).map(([tier, rates]) => [tier, ofTokens(rates)])),
    }),
  }
}

/** One number if every image costs the same. Otherwise a list, of which the first matching entry is the price. */
function ofImages(prices: readonly ImagePrice[]): ModelPricing {
  const [first] = prices
  if (prices.length === 1 && !first!.size && !first!.quality) return { output_cost_per_image: first!.usd }
  return {
    image_pricing: prices.map(({ usd, size, quality }) => ({
      ...(size !== undefined && { max_size: size }),
      ...(quality !== undefined && { quality }),
      output_cost_per_image: usd,
    })),
  }
}
