import type { SummedMetric, UsageSeries } from '../../contract/admin/usage.ts'
import { toDollars } from '../../platform/store/ledger/money.ts'
import { OTHER_VALUES } from '../../platform/store/ledger/rolled-labels.ts'
import { MAX_SERIES } from '../../platform/store/ledger/sum-sql.ts'
import { sumSeries, type UsageSum } from '../../platform/store/ledger/sum-usage.ts'
import type { Sums } from '../../platform/store/ledger/usage-sums.ts'
import { namesInReport } from './names-in-reports.ts'
import { type Services, sumsOf, type UsageSpan } from './usage-report.ts'

type SeriesQuery = { over: 'day' | 'hour'; metric: SummedMetric; top: number }

/** Sums of the largest groups over time. What they leave is `others`, so that all of it is the total. */
export async function reportSeries(span: UsageSpan, query: SeriesQuery, services: Services): Promise<UsageSeries> {
  const { over, metric } = query
  const byGroup = await sumsOf(span, services)
  const groups = largest(byGroup.sums, query)
  const overTime = await sumsOf({ ...span, groupBy: over }, services)
  const parts = groups.length === 0 ? [] : await partsOf(span, { ...query, groups }, services)
  const starts = overTime.sums.map(({ group }) => Date.parse(over === 'day' ? group : group.replace('Z', ':00Z')))
  const amounts = groups.map((group) => amountsOf(parts, { group, starts, metric }))
  const rest = overTime.sums.map((sum, at) => amountOf(sum, metric) - amounts.reduce((all, one) => all + one[at]!, 0n))
  const nameOf = await namesInReport(services.db, span.groupBy, groups)
  return {
    from: new Date(byGroup.from).toISOString(),
    to: new Date(byGroup.to).toISOString(),
    group_by: span.groupBy,
    over,
    metric,
    starts: starts.map((at) => new Date(at).toISOString()),
    series: groups.map((group, at) => ({ group, name: nameOf(group), values: amounts[at]!.map(shown(metric)) })),
    others: rest.map(shown(metric)),
    total: shown(metric)(overTime.sums.reduce((all, sum) => all + amountOf(sum, metric), 0n)),
  }
}

/** Calls without a value, and values that are too many to be counted, are among the others. */
function largest(sums: readonly UsageSum[], { metric, top }: SeriesQuery): string[] {
  const named = sums.filter((sum) => sum.group !== '' && sum.group !== OTHER_VALUES && amountOf(sum, metric) > 0n)
  const ordered = named.toSorted((one, other) => Number(amountOf(other, metric) - amountOf(one, metric)))
  return ordered.slice(0, Math.min(top, MAX_SERIES)).map(({ group }) => group)
}

function partsOf(span: UsageSpan, { over, groups }: SeriesQuery & { groups: string[] }, { db, now }: Services) {
  return sumSeries(db, { ...span, over, groups, now: now() })
}

type Series = { group: string; starts: readonly number[]; metric: SummedMetric }

/** The amount of a group at each start. */
function amountsOf(parts: readonly (UsageSum & { at: number })[], { group, starts, metric }: Series): bigint[] {
  const own = new Map(parts.filter((part) => part.group === group).map((part) => [part.at, amountOf(part, metric)]))
  return starts.map((at) => own.get(at) ?? 0n)
}

/** Whole numbers: money in billionths of a dollar. */
function amountOf(sums: Sums, metric: SummedMetric): bigint {
  if (metric === 'cost') return sums.costNanos
  return BigInt(COUNTS[metric](sums))
}

const COUNTS: Record<Exclude<SummedMetric, 'cost'>, (sums: Sums) => number> = {
  requests: (sums) => sums.requests,
  failed_requests: (sums) => sums.failedRequests,
  total_tokens: (sums) => sums.promptTokens + sums.completionTokens,
  prompt_tokens: (sums) => sums.promptTokens,
  cached_tokens: (sums) => sums.cachedTokens,
  completion_tokens: (sums) => sums.completionTokens,
}

function shown(metric: SummedMetric): (amount: bigint) => number {
  return (amount) => (metric === 'cost' ? toDollars(amount) : Number(amount))
}
