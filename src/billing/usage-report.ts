import type { UsageReport } from '../contract/keys.ts'
import type { Database } from '../store/database.ts'
import { percentile } from '../store/ledger/latency-histogram.ts'
import { toDollars } from '../store/ledger/money.ts'
import { sumUsage, type UsageGroup, type UsageSum } from '../store/ledger/sum-usage.ts'
import type { Ledger } from './ledger.ts'

type Span = { from: number; to: number; groupBy: UsageGroup }

export async function reportUsage(
  { from, to, groupBy }: Span,
  { ledger, db, now }: { ledger: Ledger; db: Database; now(): number },
): Promise<UsageReport> {
  await ledger.flush()
  const summed = await sumUsage(db, { from, to, groupBy, now: now() })
  return {
    from: new Date(summed.from).toISOString(),
    to: new Date(summed.to).toISOString(),
    group_by: groupBy,
    items: summed.sums.map((sum) => ({ group: sum.group, ...toItem(sum) })),
    total: toItem(summed.sums.reduce(add, NOTHING)),
    next_cursor: null,
  }
}

type Sums = Omit<UsageSum, 'group'>

const NOTHING: Sums = {
  requests: 0,
  failedRequests: 0,
  unpricedRequests: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  costNanos: 0n,
  latencies: [],
}

function toItem(sum: Sums) {
  return {
    requests: sum.requests,
    failed_requests: sum.failedRequests,
    unpriced_requests: sum.unpricedRequests,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    total_tokens: sum.promptTokens + sum.completionTokens,
    cost: toDollars(sum.costNanos),
    latency_ms: {
      p50: percentile(sum.latencies, 0.5),
      p95: percentile(sum.latencies, 0.95),
      p99: percentile(sum.latencies, 0.99),
    },
  }
}

function add(total: Sums, item: Sums): Sums {
  return {
    requests: total.requests + item.requests,
    failedRequests: total.failedRequests + item.failedRequests,
    unpricedRequests: total.unpricedRequests + item.unpricedRequests,
    promptTokens: total.promptTokens + item.promptTokens,
    cachedTokens: total.cachedTokens + item.cachedTokens,
    completionTokens: total.completionTokens + item.completionTokens,
    costNanos: total.costNanos + item.costNanos,
    latencies: item.latencies.map((count, index) => count + (total.latencies[index] ?? 0)),
  }
}
