import { sumOfTokens, type Tokens, withoutDust } from '../billing/token-buckets.ts'
import type { SpendingCall } from '../limits/spend-limits.ts'
import type { CallSpending } from './call-spending.ts'

/**
 * Adds to what a call has cost so far: a model whose answer could not be used is paid too. One unknown price makes the whole
 * cost unknown.
 */
export function spend(call: CallSpending, cost: number | null, tokens: Tokens | null = null): void {
  const before = spentBy(call)
  call.cost = before === null || cost === null ? null : withoutDust(before + cost)
  if (tokens) call.tokens = call.tokens ? sumOfTokens(call.tokens, tokens) : tokens
  // A call without tokens that fails later has cost this all the same: see failCall.
  else if (!call.tokens) call.earlierCost = call.cost
}

/** What a call has spent so far. */
export function spentBy({ tokens, cost, earlierCost }: CallSpending): number | null {
  return tokens ? cost : earlierCost
}

/** A part of the cost is that of this model: limits of it alone are charged for it, also if another model answers in the end. */
export function notePaid(call: Pick<SpendingCall, 'whole' | 'reservation'>, model: string): void {
  const { reservation } = call.whole ?? call
  reservation?.paid(model)
}
