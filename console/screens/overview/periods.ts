import type { UsageItem, UsageReport } from '../../../src/contract/admin/usage.ts'
import { startOfGroup, type UsageSpan } from '../../parts/chart/usage-span.ts'
import type { Texts } from '../../parts/use-query.ts'

export type Sums = { cost: number; requests: number; failed_requests: number; total_tokens: number }

/** What the period before one of this length is called. */
const BEFORE: Readonly<Record<string, string>> = {
  '1h': 'previous hour',
  '24h': 'previous 24\u00a0h',
  '7d': 'previous 7\u00a0days',
  '30d': 'previous 30\u00a0days',
  '90d': 'previous 90\u00a0days',
}

export function beforeName({ last, from }: Texts): string {
  return (!from && BEFORE[last ?? '24h']) || 'previous period'
}

/** A report over both periods, as the items of the present one and the sums of the one before. */
export function splitReport({ items }: UsageReport, span: UsageSpan): { now: UsageItem[]; before: Sums } {
  const start = Date.parse(span.from)
  const isNow = ({ group }: UsageItem) => startOfGroup(group) >= start
  return { now: items.filter(isNow), before: sumOf(items.filter((item) => !isNow(item))) }
}

function sumOf(items: readonly UsageItem[]): Sums {
  const sum = (of: (item: UsageItem) => number) => items.reduce((all, item) => all + of(item), 0)
  return {
    cost: sum(({ cost }) => cost),
    requests: sum(({ requests }) => requests),
    failed_requests: sum((item) => item.failed_requests),
    total_tokens: sum((item) => item.total_tokens),
  }
}
