import type { Database, Value } from '../database.ts'
import { LATENCY_COLUMNS } from './latency-histogram.ts'
import { completeFrom } from './expire-lines.ts'
import { DAY_MS, DIMENSIONS, type Dimension, HOUR_MS, SUM_COLUMNS, sumsOfLines, sumsOfSums } from './rollups.ts'
import { type Piece, type Range, splitRange } from './split-range.ts'

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
const TIMES = {
  day: { length: DAY_MS, chars: 'YYYY-MM-DD'.length },
  hour: { length: HOUR_MS, chars: 'YYYY-MM-DDTHH'.length },
}

/** One text for each way of grouping, whatever the range: a range has always the same pieces, some of them empty. */
function reportSql(range: Range, groupBy: UsageGroup, now: number) {
  const values: Value[] = []
  const isTime = groupBy === 'day' || groupBy === 'hour'
  // Every dimension counts each line once, so the one with the fewest values serves reports by time.
  const dimension = isTime ? 'status' : groupBy
  const groupOfSum = isTime ? `start / ${TIMES[groupBy].length}` : 'value'
  const groupOfLine = isTime ? `at / ${TIMES[groupBy].length}` : DIMENSIONS[groupBy]
  const pieces = splitRange(range, { now, largest: isTime ? groupBy : 'week' })
  const columns = SUM_COLUMNS.map((column) => `CAST(SUM(sign * ${column}) AS TEXT) AS ${column}`).join(', ')
  const sql = `SELECT "group", ${columns} FROM (${pieces.map(select).join(' UNION ALL ')}) AS pieces
    GROUP BY "group" HAVING SUM(sign * requests) > 0 ORDER BY "group"`
  return { sql, values }

  function select(piece: Piece): string {
    const sign = `CAST($${values.push(piece.sign)} AS BIGINT) AS sign`
    const [from, to] = [`$${values.push(piece.from)}`, `$${values.push(piece.to)}`]
    if (piece.of === 'line')
      return `SELECT ${sign}, ${groupOfLine} AS "group", ${sumsOfLines()} FROM usage
        WHERE at >= ${from} AND at < ${to} GROUP BY 2`
    return `SELECT ${sign}, ${groupOfSum} AS "group", ${sumsOfSums()} FROM usage_rollups
      WHERE step = '${piece.of}' AND dimension = '${dimension}' AND start >= ${from} AND start < ${to} GROUP BY 2`
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
