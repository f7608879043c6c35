import type { CatalogModel } from '../../../../src/contract/admin/providers.ts'
import { exactMoney, money } from '../../../parts/format.ts'

const MILLION = 1_000_000

export function perMillion(usd: number | null | undefined): string {
  return money(usd === null || usd === undefined ? usd : usd * MILLION)
}

const PER_TOKEN: Readonly<Record<string, string>> = {
  input_cost_per_token: 'Input',
  output_cost_per_token: 'Output',
  cache_read_input_token_cost: 'Cached input',
  cache_creation_input_token_cost: 'Cache write',
  input_cost_per_audio_token: 'Audio input',
  output_cost_per_audio_token: 'Audio output',
  input_cost_per_image_token: 'Image input',
  output_cost_per_image_token: 'Image output',
}
const UNITS = /^(?:output_)?cost_per_(.+)$/

/** What a model costs, line by line. Prices that depend on more than an amount are left to the price list. */
export function priceLines(pricing: CatalogModel['pricing']): readonly { title: string; price: string }[] {
  return Object.entries(pricing ?? {}).flatMap(([name, usd]) => {
    if (typeof usd !== 'number') return []
    const title = PER_TOKEN[name]
    if (title) return [{ title: `${title}, per 1M tokens`, price: exactMoney(usd * MILLION) }]
    const unit = UNITS.exec(name)?.[1]
    return unit ? [{ title: `Per ${unit.replaceAll('_', ' ')}`, price: exactMoney(usd) }] : []
  })
}
