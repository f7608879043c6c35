import type { Model, Price, Rates, SteppedRates } from '../../platform/catalog/catalog.ts'
import type { BatchApi } from '../../platform/providers/provider.ts'

const BATCH_TIER = 'batch'

/** The model at the price of its provider's batches; undefined if that is not known. */
export function atBatchPrice<One extends Pick<Model, 'price'>>(model: One, api: BatchApi): One | undefined {
  const { price } = model
  if (!price) return undefined
  return { ...model, price: price.serviceTiers?.[BATCH_TIER] ?? reduced(price, api) }
}

function reduced({ tiers, serviceTiers: _, cacheStorage: __, ...rates }: Price, api: BatchApi): SteppedRates {
  return {
    ...reducedRates(rates, api),
    ...(tiers && { tiers: tiers.map(({ above, ...step }) => ({ above, ...reducedRates(step, api) })) }),
  }
}

/** A rate that is missing is that of plain tokens. */
function reducedRates(rates: Rates, { factor, keepsCachePrice }: BatchApi): Rates {
  const each = Object.entries(rates).map(([name, usd]) => [name, usd * factor])
  const { cacheRead } = rates
  return { ...rates, ...Object.fromEntries(each), ...(keepsCachePrice && cacheRead !== undefined && { cacheRead }) }
}
