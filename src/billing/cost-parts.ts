import type { CatalogRow } from '../catalog/catalog.ts'
import type { ChatRequest } from '../contract/chat.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { costOf, type Tokens, toTokens } from './token-buckets.ts'

// What a call costs besides the tokens that were counted: some providers bill fewer tokens than they count, some charge for
// searches and for the request itself, and some report what they charged.

export type CostParts = {
  cost: number | null
  /** What was billed besides the token buckets, so that the sum can be checked. */
  basis: Record<string, number>
  /** Something that is billed was not counted. */
  isPartial: boolean
}

type Priced = Pick<CatalogRow, 'price' | 'per'> | undefined
type Called = {
  tokens: Tokens
  usage: Usage | undefined
  request: ChatRequest
  serviceTier?: string | null | undefined
  /** The provider reports its searches, so that no report means that there were none. */
  countsSearches?: boolean | undefined
}

const TICKS_PER_USD = 1e10

export function costPartsOf(entry: Priced, { tokens, usage, request, serviceTier, countsSearches }: Called): CostParts {
  const billed = billedUnits(usage)
  const searches = entry?.per?.search === undefined ? undefined : searchesIn(usage)
  const ofTokens = costOf(billed ? toTokens({ ...usage!, ...billed }) : tokens, entry?.price, serviceTier)
  const more = (searches ?? 0) * (entry?.per?.search ?? 0) + (entry?.per?.request ?? 0)
  const isUncounted = searches === undefined && !countsSearches && asksToSearch(request)
  return {
    cost: ofTokens === null ? null : ofTokens + more,
    basis: {
      ...(billed && { billedInput: billed.prompt_tokens, billedOutput: billed.completion_tokens }),
      ...(searches && { searches }),
    },
    isPartial: entry?.per?.search !== undefined && isUncounted,
  }
}

/** Cohere counts its own preamble but does not bill it. */
function billedUnits(usage: Usage | undefined): Pick<Usage, 'prompt_tokens' | 'completion_tokens'> | undefined {
  const { input_tokens, output_tokens } = (fieldsOf(usage).billed_units ?? {}) as Record<string, unknown>
  if (typeof input_tokens !== 'number' || typeof output_tokens !== 'number') return undefined
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens }
}

function searchesIn(usage: Usage | undefined): number | undefined {
  const { web_search_requests, num_search_queries } = fieldsOf(usage)
  const count = web_search_requests ?? num_search_queries
  return typeof count === 'number' && count >= 0 ? count : undefined
}

function asksToSearch(request: ChatRequest): boolean {
  return namesSearch(request) || (request.extra_body != null && namesSearch(request.extra_body))
}

function namesSearch({ web_search_options, tools }: Record<string, unknown>): boolean {
  return web_search_options != null || (Array.isArray(tools) && tools.some(isSearch))
}

function isSearch(tool: { type?: unknown } | null): boolean {
  return typeof tool?.type === 'string' && tool.type.startsWith('web_search')
}

/** What the provider reports that it charged, in USD; null if it reports nothing. */
export function reportedCost(usage: Usage | undefined): number | null {
  const { cost, cost_in_usd_ticks, estimated_cost, gateway_cost } = fieldsOf(usage)
  // In this order: OpenRouter, Perplexity, xAI, DeepInfra, and Vercel, whose value is a string.
  const reported = [
    cost,
    (cost as Record<string, unknown> | undefined)?.total_cost,
    inUsd(cost_in_usd_ticks),
    estimated_cost,
  ]
  const found = [...reported, gateway_cost === undefined ? undefined : Number(gateway_cost)]
  return found.find((usd): usd is number => typeof usd === 'number' && Number.isFinite(usd)) ?? null
}

function inUsd(ticks: unknown): number | undefined {
  return typeof ticks === 'number' ? ticks / TICKS_PER_USD : undefined
}

function fieldsOf(usage: Usage | undefined): Record<string, unknown> {
  return (usage ?? {}) as Record<string, unknown>
}
