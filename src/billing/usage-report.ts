import type { UsageItem, UsageReport } from '../contract/admin/usage.ts'
import type { Database } from '../store/database.ts'
import { percentile } from '../store/ledger/latency-histogram.ts'
import { toDollars } from '../store/ledger/money.ts'
import { sumUsage, type UsageSums } from '../store/ledger/sum-usage.ts'
import type { UsageGroup } from '../store/ledger/usage-group.ts'
import { addSums, NOTHING, type Sums } from '../store/ledger/usage-sums.ts'
import type { LineFilter } from '../store/ledger/line-filter.ts'
import type { Ledger } from './ledger.ts'
import { namesInReport } from './names-in-reports.ts'

export type { UsageGroup } from '../store/ledger/usage-group.ts'
export type { LineFilter } from '../store/ledger/line-filter.ts'

export type UsageSpan = { from: number; to: number; groupBy: UsageGroup; filter?: LineFilter | undefined }
type Page = { limit: number; cursor?: string | undefined }
export type Services = { ledger: Ledger; db: Database; now(): number }

/** The groups, in their order; the total is of all pages. */
export async function reportUsage(span: UsageSpan, page: Page, services: Services): Promise<UsageReport> {
  const summed = await sumsOf(span, services)
  const { items, nextCursor } = pageOf(summed, page)
  const nameOf = await namesInReport(
    services.db,
    span.groupBy,
    items.map(({ group }) => group),
  )
  return {
    from: new Date(summed.from).toISOString(),
    to: new Date(summed.to).toISOString(),
    group_by: span.groupBy,
    items: items.map((sum) => ({ group: sum.group, name: nameOf(sum.group), ...toItem(sum) })),
    total: toItem(summed.sums.reduce<Sums>(addSums, NOTHING)),
    next_cursor: nextCursor,
  }
}

/** All groups, a few at a time. */
export async function* allUsage(span: UsageSpan, services: Services): AsyncGenerator<UsageItem> {
  const { sums } = await sumsOf(span, services)
  const nameOf = await namesInReport(
    services.db,
    span.groupBy,
    sums.map(({ group }) => group),
  )
  for (const sum of sums) yield { group: sum.group, name: nameOf(sum.group), ...toItem(sum) }
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
