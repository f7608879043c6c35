import type { UsageItem } from '../../../src/contract/admin/usage.ts'
import { compact, count, duration, money } from '../format.ts'

type Sums = Omit<UsageItem, 'group' | 'name'>

export type Metric = {
  title: string
  of: (sums: Sums) => number | null
  /** In a table, and on an axis where there is less space. */
  format: (amount: number | null) => string
  short: (amount: number) => string
  /** Amounts of groups add up to the total; percentiles do not. */
  isSum: boolean
}

const tokens = (title: string, of: (sums: Sums) => number): Metric => ({
  ...{ title, of, format: count, short: compact, isSum: true },
})

export const METRICS = {
  cost: { title: 'Cost', of: ({ cost }) => cost, format: money, short: money, isSum: true },
  requests: tokens('Requests', (sums) => sums.requests),
  failed: tokens('Failed requests', (sums) => sums.failed_requests),
  tokens: tokens('Tokens', (sums) => sums.total_tokens),
  prompt: tokens('Tokens read', (sums) => sums.prompt_tokens),
  cached: tokens('Tokens read from a cache', (sums) => sums.cached_tokens),
  completion: tokens('Tokens answered', (sums) => sums.completion_tokens),
  p50: {
    title: 'Duration, half',
    of: ({ latency_ms }) => latency_ms.p50,
    format: duration,
    short: duration,
    isSum: false,
  },
  p95: {
    title: 'Duration, 95 %',
    of: ({ latency_ms }) => latency_ms.p95,
    format: duration,
    short: duration,
    isSum: false,
  },
} satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS

export function metricNamed(name: string | undefined): Metric {
  return METRICS[name && name in METRICS ? (name as MetricName) : 'cost']
}

/** Calls whose price is not known add nothing, so the cost is at least what is known, or not known at all. */
export function knownCost({ cost, unpriced_requests: unpriced, requests }: Sums): string {
  if (unpriced === requests && requests > 0) return money(null)
  return `${unpriced > 0 ? '≥ ' : ''}${money(cost)}`
}
