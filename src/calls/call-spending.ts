import type { Tokens } from '../billing/token-buckets.ts'

/** What a provider most likely bills for a request alone, whether or not somebody waits for the answer. An unknown cost is null. */
export type LikelyBill = { cost: number | null; tokens?: Tokens | undefined }

/** What a call has cost so far, and what that was computed from. */
export type CallSpending = {
  tokens: Tokens | null
  /** True when the provider sent no counts and we estimated them from the text. */
  estimated: boolean
  /** True for a task, whose answer states its cost even if that is an estimate. */
  tellsEstimate: boolean
  /** True when something that is billed besides the tokens was not counted. */
  costIsPartial: boolean
  /** What was billed besides the tokens (searches, billed units), by name. */
  basis: Record<string, number>
  /** What the cost is made of, in USD, as far as it is known. */
  components: Record<string, number>
  /** How many providers were paid for a part of the answer. */
  parts: number
  cost: number | null
  /** What was spent while there were no tokens: by hooks, for results of no use, and for what is not paid by tokens. */
  earlierCost: number | null
  /** The date of the price list that the cost was computed from. */
  priceVersion: string | null
  /** The cost as the provider reported it. */
  providerCost: number | null
}
