import type { Database, Value } from '../database.ts'
import { LATENCY_COLUMNS } from './latency-histogram.ts'
import { completeFrom } from './expire-lines.ts'
import { DAY_MS, DIMENSIONS, type Dimension, HOUR_MS, SUM_COLUMNS, sumsOfLines, sumsOfSums } from './rollups.ts'
import { type Range, type SplitOptions, splitRange } from './split-range.ts'

export type UsageGroup = Dimension | 'day' | 'hour'

export type UsageSum = {
  group: string
  requests: number
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  /** The cost of the requests whose cost is known; `unpricedRequests` says how many others there are. */
  costNanos: bigint
  unpricedRequests: number
  failedRequests: number
  /** How many requests were in each range of the latency histogram. */
  latencies: number[]
}

export type UsageSums = Range & { sums: UsageSum[] }

/**
 * Sums the requests with `from` ≤ time < `to`. Where the lines have been removed, the range grows to whole hours; the result
 * has the range that was summed.
 */
export async function sumUsage(
  db: Database,
  { from, to, groupBy, now }: Range & { groupBy: UsageGroup; now: number },
): Promise<UsageSums> {
  const range = wholeHoursBefore(await completeFrom(db), { from, to })
  const { sql, values } = reportSql(range, groupBy, now)
  const rows = await db.report<Row>(sql, values)
  return { ...range, sums: rows.map((row) => toSum(row, groupBy)) }
}

/** Without its lines, an hour can only be counted as a whole. */
function wholeHoursBefore(complete: number, { from, to }: Range): Range {
  return {
    from: from < complete ? Math.floor(from / HOUR_MS) * HOUR_MS : from,
    to: to < complete ? Math.ceil(to / HOUR_MS) * HOUR_MS : to,
  }
}

type Row = Record<string, string> & { group: string | number }

/** Times are grouped as numbers, because the two databases share no function that would format them. */
const TIMES: Record<'day' | 'hour', { length: number; largest: SplitOptions['largest']; chars: number }> = {
  day: { length: DAY_MS, largest: 'day', chars: 'YYYY-MM-DD'.length },
  hour: { length: HOUR_MS, largest: 'hour', chars: 'YYYY-MM-DDTHH'.length },
}

/** One text for each way of grouping, whatever the range: parts that a range does not have are empty. */
function reportSql(range: Range, groupBy: UsageGroup, now: number) {
  const values: Value[] = []
  const isTime = groupBy === 'day' || groupBy === 'hour'
  const { week, days, hours, added, removed } = splitRange(range, {
    now,
    largest: isTime ? TIMES[groupBy].largest : 'week',
  })
  const parts = [
    rolledUp('week', week),
    ...days.map((part) => rolledUp('day', part)),
    ...hours.map((part) => rolledUp('hour', part)),
    ...added.map((part) => lines('', part)),
    ...removed.map((part) => lines('-', part)),
  ]
  const columns = SUM_COLUMNS.map((column) => `CAST(SUM(${column}) AS TEXT) AS ${column}`).join(', ')
  const sql = `SELECT "group", ${columns} FROM (${parts.join(' UNION ALL ')}) AS parts
    GROUP BY "group" HAVING SUM(requests) > 0 ORDER BY "group"`
  return { sql, values }

  /** Every dimension counts each line once, so the one with the fewest values serves reports by time. */
  function rolledUp(step: string, part: Range): string {
    const [group, dimension] = isTime ? [`start / ${TIMES[groupBy].length}`, 'status'] : ['value', groupBy]
    return `SELECT ${group} AS "group", ${sumsOfSums()} FROM usage_rollups
      WHERE step = '${step}' AND dimension = '${dimension}' AND start >= ${bind(part.from)} AND start < ${bind(part.to)}
      GROUP BY 1`
  }

  function lines(sign: '' | '-', part: Range): string {
    const group = isTime ? `at / ${TIMES[groupBy].length}` : DIMENSIONS[groupBy]
    return `SELECT ${group} AS "group", ${sumsOfLines(sign)} FROM usage
      WHERE at >= ${bind(part.from)} AND at < ${bind(part.to)} GROUP BY 1`
  }

  function bind(time: number): string {
    return `$${values.push(time)}`
  }
}

/** Sums arrive as texts, because they may be larger than the integers that a number can hold. */
function toSum(row: Row, groupBy: UsageGroup): UsageSum {
  return {
    group: groupBy === 'day' || groupBy === 'hour' ? toTime(Number(row.group), groupBy) : String(row.group),
    requests: Number(row.requests),
    promptTokens: Number(row.prompt_tokens),
    cachedTokens: Number(row.cached_tokens),
    completionTokens: Number(row.completion_tokens),
    costNanos: BigInt(row.cost_nanos!),
    unpricedRequests: Number(row.unpriced_requests),
    failedRequests: Number(row.failed_requests),
    latencies: LATENCY_COLUMNS.map((column) => Number(row[column])),
  }
}

/** `2026-11-16`, or `2026-11-16T08:00Z` for an hour. */
function toTime(number: number, groupBy: 'day' | 'hour'): string {
  const { length, chars } = TIMES[groupBy]
  const text = new Date(number * length).toISOString().slice(0, chars)
  return groupBy === 'day' ? text : `${text}:00Z`
}
