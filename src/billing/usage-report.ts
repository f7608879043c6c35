import type { UsageReport } from '../contract/keys.ts'
import { sumUsage, type UsageGroup, type UsageSum } from '../store/usage.ts'
import { withoutDust } from './token-buckets.ts'
import type { Database } from '../store/database.ts'
import type { Ledger } from './ledger.ts'

type Span = { from: number; to: number; groupBy: UsageGroup }

export async function reportUsage(
  { from, to, groupBy }: Span,
  { ledger, db }: { ledger: Ledger; db: Database },
): Promise<UsageReport> {
  await ledger.flush()
  const items = (await sumUsage(db, { from, to, groupBy })).map(toItem)
  const total = items.map(({ group: _, ...sums }) => sums).reduce(add, NOTHING)
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    group_by: groupBy,
    items,
    total: { ...total, cost: withoutDust(total.cost) },
    next_cursor: null,
  }
}

const NOTHING = {
  requests: 0,
  failed_requests: 0,
  unpriced_requests: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cost: 0,
}

function toItem(sum: UsageSum) {
  return {
    group: sum.group,
    requests: sum.requests,
    failed_requests: sum.failedRequests,
    unpriced_requests: sum.unpricedRequests,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    total_tokens: sum.promptTokens + sum.completionTokens,
    cost: withoutDust(sum.cost),
  }
}

function add(total: typeof NOTHING, item: typeof NOTHING): typeof NOTHING {
  const names = Object.keys(NOTHING) as (keyof typeof NOTHING)[]
  return Object.fromEntries(names.map((name) => [name, total[name] + item[name]])) as typeof NOTHING
}
