import type { CatalogRow } from '../../platform/catalog/catalog.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import { type Charged, feesOf } from './fees.ts'
import { type Run, runsOf } from './runs.ts'
import { bucketCosts, costOf, sumOfTokens, type Tokens, toTokens } from './token-buckets.ts'
import { fieldsOf } from './usage-fields.ts'

// What a call costs: the tokens of every run at the price of its model, and fees. Some providers bill fewer tokens than they
// count, and some report what they charged.

export type CostParts = {
  cost: number | null
  /** All tokens that were counted. */
  tokens: Tokens
  /** What was billed besides the token buckets, so that the sum can be checked. */
  basis: Record<string, number>
  /** What the cost is made of, in USD. */
  components: Record<string, number>
  /** Something that is billed was not counted, or its fee is not known. */
  isPartial: boolean
}

/** The catalog row of a model; undefined if its price is not known. */
type PriceRow = Pick<CatalogRow, 'price' | 'per' | 'perSearchContext' | 'geoFactors'> | undefined
type Called = Charged & {
  /** Counted or estimated. */
  tokens: Tokens
  serviceTier?: string | null | undefined
  /** Finds the price of a model that took part, by the provider's name of it. */
  rowOf?: (model: string) => PriceRow
}

const TICKS_PER_USD = 1e10

export function costPartsOf(entry: PriceRow, called: Called): CostParts {
  const { usage, tokens } = called
  const billed = billedUnits(usage)
  const counted = runsOf(usage, tokens)
  const runs = billed ? [{ tokens: toTokens({ ...usage!, ...billed }) }] : counted
  const fees = feesOf(entry, called)
  const { usd, components } = costOfRuns(runs, entry, called)
  return {
    cost: usd === null ? null : usd + fees.usd,
    tokens: counted.length === 1 ? counted[0]!.tokens : counted.map((run) => run.tokens).reduce(sumOfTokens),
    basis: {
      ...(billed && { billedInput: billed.prompt_tokens, billedOutput: billed.completion_tokens }),
      ...fees.basis,
    },
    components: fees.usd > 0 ? { ...components, fees: fees.usd } : components,
    isPartial: fees.isUnknown,
  }
}

type CostOfRuns = { usd: number | null; components: Record<string, number> }

/** Null as soon as the price of one run is not known. The components are what each bucket of the runs before it costs. */
function costOfRuns(runs: readonly Run[], entry: PriceRow, { usage, serviceTier, rowOf }: Called): CostOfRuns {
  const components: Record<string, number> = {}
  let usd = 0
  for (const { model, tokens } of runs) {
    const row = model === undefined || !rowOf ? entry : rowOf(model)
    const cost = costOf(tokens, row?.price, serviceTier)
    const factor = geoFactor(row, usage)
    if (cost === null || factor === undefined) return { usd: null, components }
    usd += cost * factor
    const ofBuckets = bucketCosts(tokens, row?.price, serviceTier)
    for (const bucket in ofBuckets) components[bucket] = (components[bucket] ?? 0) + ofBuckets[bucket]! * factor
  }
  return { usd, components }
}

/** Some models cost more if the place of the inference is restricted. */
function geoFactor(row: PriceRow, usage: Usage | undefined): number | undefined {
  const { inference_geo: geo } = fieldsOf(usage)
  if (typeof geo !== 'string') return 1
  return row?.geoFactors && Object.hasOwn(row.geoFactors, geo) ? row.geoFactors[geo] : undefined
}

/** Cohere counts its own preamble but does not bill it. */
function billedUnits(usage: Usage | undefined): Pick<Usage, 'prompt_tokens' | 'completion_tokens'> | undefined {
  const { input_tokens, output_tokens } = (fieldsOf(usage).billed_units ?? {}) as Record<string, unknown>
  if (!isCount(input_tokens) || !isCount(output_tokens)) return undefined
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/** What the provider reports that it charged, in USD; null if it reports nothing. */
export function reportedCost(usage: Usage | undefined): number | null {
  const { cost, cost_in_usd_ticks, estimated_cost, gateway_cost } = fieldsOf(usage)
  if (isCost(cost)) return cost // OpenRouter
  const ofPerplexity = (cost as Record<string, unknown> | null | undefined)?.total_cost
  if (isCost(ofPerplexity)) return ofPerplexity
  const ofXai = inUsd(cost_in_usd_ticks)
  if (isCost(ofXai)) return ofXai
  if (isCost(estimated_cost)) return estimated_cost // DeepInfra
  const ofVercel = numberOf(gateway_cost)
  return isCost(ofVercel) ? ofVercel : null
}

/** No request costs nearly as much. A figure of a provider beyond it is a mistake, and the store could not keep it. */
const MAX_USD = 1e6

/** Whether a figure that came from outside can be what a request cost. */
export function isCost(usd: unknown): usd is number {
  return typeof usd === 'number' && usd >= 0 && usd <= MAX_USD
}

function numberOf(amount: unknown): unknown {
  return typeof amount === 'string' && /\d/.test(amount) ? Number(amount) : amount
}

function inUsd(ticks: unknown): number | undefined {
  return typeof ticks === 'number' ? ticks / TICKS_PER_USD : undefined
}
