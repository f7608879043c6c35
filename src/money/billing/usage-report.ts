import type { UsageItem, UsageReport } from '../../contract/admin/usage.ts'
import type { Database } from '../../platform/store/database.ts'
import { percentile } from '../../platform/store/ledger/latency-histogram.ts'
import { toDollars } from '../../platform/store/ledger/money.ts'
import { sumUsage, type UsageSum, type UsageSums } from '../../platform/store/ledger/sum-usage.ts'
import type { UsageGroup } from '../../platform/store/ledger/usage-group.ts'
import { addSums, NOTHING, type Sums } from '../../platform/store/ledger/usage-sums.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import type { Ledger } from './ledger.ts'
import { namesInReport } from './names-in-reports.ts'

export type { UsageGroup } from '../../platform/store/ledger/usage-group.ts'
export type { LineFilter } from '../../platform/store/ledger/line-filter.ts'

export type UsageSpan = { from: number; to: number; groupBy: UsageGroup; filter?: LineFilter | undefined }
type Page = { limit: number; cursor?: string | undefined }
export type Services = { ledger: Ledger; db: Database; now(): number }

/** The groups, in their order; the total is of all pages. */
export async function reportUsage(span: UsageSpan, page: Page, services: Services): Promise<UsageReport> {
  const summed = await sumsOf(span, services)
  const { items, nextCursor } = pageOf(summed, page)
  const itemOf = await namingItems(items, span, services)
  return {
    from: new Date(summed.from).toISOString(),
    to: new Date(summed.to).toISOString(),
    group_by: span.groupBy,
    items: items.map(itemOf),
    total: figuresOf(summed.sums.reduce<Sums>(addSums, NOTHING)),
    next_cursor: nextCursor,
  }
}

/** All groups. Each item is made when it is asked for, because there may be very many. */
export async function* allUsage(span: UsageSpan, services: Services): AsyncGenerator<UsageItem> {
  const { sums } = await sumsOf(span, services)
  const itemOf = await namingItems(sums, span, services)
  for (const sum of sums) yield itemOf(sum)
}

/** Looks up the names of all groups, and returns a function that makes the item of a sum. */
async function namingItems(sums: readonly UsageSum[], { groupBy }: UsageSpan, { db }: Services) {
  const groups = sums.map(({ group }) => group)
  const nameOf = await namesInReport(db, groupBy, groups)
  return (sum: UsageSum): UsageItem => ({ group: sum.group, name: nameOf(sum.group), ...figuresOf(sum) })
}

export async function sumsOf(span: UsageSpan, { ledger, db, now }: Services): Promise<UsageSums> {
  await ledger.flush()
  return await sumUsage(db, { ...span, now: now() })
}

/** A cursor is the last group of the page before. */
function pageOf({ sums }: UsageSums, { limit, cursor }: Page) {
  const last =
    cursor === undefined ? -1 : sums.findIndex(({ group }) => group === Buffer.from(cursor, 'base64url').toString())
  const items = sums.slice(last + 1, last + 1 + limit)
  const isLast = last + 1 + limit >= sums.length
  return { items, nextCursor: isLast ? null : Buffer.from(items.at(-1)!.group).toString('base64url') }
}

function figuresOf(sum: Sums) {
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
