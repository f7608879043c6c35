import { sumOfTokens, type Tokens, withoutDust } from '../billing/token-buckets.ts'
import type { CallSpending } from './call-spending.ts'

/**
 * Adds to what a call has cost so far: a model whose answer could not be used is paid too. One unknown price makes the whole
 * cost unknown.
 */
export function spend(call: CallSpending, cost: number | null, tokens: Tokens | null = null): void {
  const before = call.tokens === null ? call.earlierCost : call.cost
  call.cost = before === null || cost === null ? null : withoutDust(before + cost)
  if (tokens) call.tokens = call.tokens ? sumOfTokens(call.tokens, tokens) : tokens
}

/** Adds what was paid for a result that is of no use: it is part of the cost, however the call ends. */
export function spendInVain(call: CallSpending, cost: number | null): void {
  call.earlierCost = call.earlierCost === null || cost === null ? null : withoutDust(call.earlierCost + cost)
}
