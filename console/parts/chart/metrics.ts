import type { SummedMetric, UsageItem } from '../../../src/contract/admin/usage.ts'
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
  /** What the API calls it, if it adds up. */
  summed?: SummedMetric
}

const counted = (title: string, summed: Exclude<SummedMetric, 'cost'>): Metric => ({
  title,
  of: (sums) => sums[summed],
  format: count,
  short: compact,
  isSum: true,
  summed,
})

export const METRICS = {
  cost: { title: 'Cost', of: ({ cost }) => cost, format: money, short: money, isSum: true, summed: 'cost' },
  requests: counted('Requests', 'requests'),
  failed: counted('Failed requests', 'failed_requests'),
  tokens: counted('Tokens', 'total_tokens'),
  prompt: counted('Input tokens', 'prompt_tokens'),
  cached: counted('Cached input tokens', 'cached_tokens'),
  completion: counted('Output tokens', 'completion_tokens'),
  p50: {
    title: 'Median latency',
    of: ({ latency_ms }) => latency_ms.p50,
    format: duration,
    short: duration,
    isSum: false,
  },
  p95: {
    title: 'p95 latency',
    of: ({ latency_ms }) => latency_ms.p95,
    format: duration,
    short: duration,
    isSum: false,
  },
} satisfies Record<string, Metric>

type MetricName = keyof typeof METRICS

export function metricNamed(name: string | undefined): Metric {
  return METRICS[name && name in METRICS ? (name as MetricName) : 'cost']
}

/** Calls whose price is not known add nothing, so the cost is at least what is known, or not known at all. */
export function knownCost({ cost, unpriced_requests: unpriced, requests }: Sums): string {
  if (unpriced === requests && requests > 0) return money(null)
  return `${unpriced > 0 ? '≥ ' : ''}${money(cost)}`
}
