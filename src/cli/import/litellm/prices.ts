import type { Deployment } from './deployments.ts'
import type { ImportContext } from './import-context.ts'
import { approximate, unsupported } from '../finding.ts'
import { numberOf } from './values.ts'

const MILLION = 1_000_000
const MEMBERS = [
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['cache_read_input_token_cost', 'cacheRead'],
  ['cache_creation_input_token_cost', 'cacheWrite'],
] as const

/** Prices belong to the model at its provider: the first deployment with a price decides. */
export function addPrices(deployments: readonly Deployment[], { draft }: ImportContext): void {
  const unpriced = new Set(
    deployments.filter((one) => !isPriced(one)).map(({ provider, model }) => `${provider}/${model}`),
  )
  for (const { path, provider, model, params, info } of deployments) {
    for (const [member] of MEMBERS)
      for (const [section, fields] of Object.entries({ litellm_params: params, model_info: info }))
        if (fields[member] != null && !((numberOf(fields[member]) ?? -1) >= 0))
          draft.judge(`${path}.${section}.${member}`, unsupported('is no price'))
    const price: Record<string, number> = {}
    for (const [member, name] of MEMBERS) {
      const perToken = numberOf(params[member]) ?? numberOf(info[member])
      if (perToken !== undefined && perToken >= 0) price[name] = rounded(perToken * MILLION)
    }
    if (Object.keys(price).length === 0) continue
    const id = `${provider}/${model}`
    const existing = draft.prices.get(id)
    const problem = problemOf(price, existing, model)
    if (!problem) draft.prices.set(id, price)
    const remark =
      problem ?? (unpriced.has(id) ? 'counts for every deployment of the model, also for those without a price' : '')
    if (remark)
      for (const [member] of MEMBERS)
        for (const section of ['litellm_params', 'model_info'])
          if (draft.verdicts.get(`${path}.${section}.${member}`)?.outcome !== 'unsupported')
            draft.judge(`${path}.${section}.${member}`, approximate(remark))
  }
}

function isPriced({ params, info }: Deployment): boolean {
  return MEMBERS.some(([member]) => numberOf(params[member]) !== undefined || numberOf(info[member]) !== undefined)
}

function problemOf(price: Record<string, number>, existing: object | undefined, model: string): string | undefined {
  if (model.includes('*')) return 'a price for many models at once is not taken over'
  if (price.input === undefined || price.output === undefined) return 'a price needs both input and output'
  if (existing && JSON.stringify(existing) !== JSON.stringify(price))
    return 'another deployment of the same model has another price, which counts'
  return undefined
}

/** Without the digits that come from the multiplication. */
function rounded(price: number): number {
  return Number(price.toPrecision(12))
}
