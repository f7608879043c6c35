import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { Database } from '../../platform/store/database.ts'
import { type LimitState, statesOf } from './limit-states.ts'

/** What is left of one budget, in USD. */
export type RemainingBudget = { id: string; limit: number; remaining: number }

/** More budgets than this are not read at once. */
const MAX_READ = 2_000

/** The budgets with the smallest part left, as the store knows them. */
export async function remainingBudgets(
  db: Database,
  { limits, now, most }: { limits: readonly Limit[]; now: number; most: number },
): Promise<RemainingBudget[]> {
  const budgets = limits.filter(({ unit }) => unit === 'usd').slice(0, MAX_READ)
  if (budgets.length === 0) return []
  const states = await statesOf(db, budgets, now)
  const found = budgets.map(({ id }) => ({ id, ...remainingIn(states.get(id)!) }))
  found.sort((one, other) => one.remaining / one.limit - other.remaining / other.limit)
  return found.slice(0, most)
}

/** Of a budget that counts keys or people apart, the one that has the least left. */
function remainingIn({ cap, buckets }: LimitState): Omit<RemainingBudget, 'id'> {
  const most = Math.max(0, ...buckets.map(({ spent, reserved }) => spent + reserved))
  return { limit: fromAmount(cap, 'usd'), remaining: fromAmount(cap - most, 'usd') }
}
