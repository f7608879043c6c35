import { problem } from '../../../contract/problems.ts'
import type { Database } from '../database.ts'
import { completeFrom } from './expire-lines.ts'
import type { LineFilter } from './line-filter.ts'
import { DIMENSIONS, type Dimension } from './rollups.ts'
import type { Range } from './split-range.ts'
import { type OneValue, type SummedLines, type SummedRange, sumLinesSql, sumRangesSql } from './sum-sql.ts'
import { isLabel, isPeriod, PERIOD_MS, type Period, periodName, type UsageGroup } from './usage-group.ts'
import { addSums, NOTHING, type Sums, subtractSums } from './usage-sums.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

export type UsageSum = Sums & { group: string }
export type UsageSums = Range & { sums: UsageSum[] }

type UsageQuestion = Range & { groupBy: UsageGroup; filter?: LineFilter | undefined; now: number }

/**
 * Sums the requests with `from` ≤ time < `to`. Where the lines have been removed, the range grows to whole hours; the result
 * has the range that was summed. A filter that needs lines that have been removed is refused.
 */
export function sumUsage(db: Database, question: UsageQuestion): Promise<UsageSums> {
  return whileComplete(db, async (complete) => {
    const { from, to, groupBy, filter = {}, now } = question
    if (needsLines(filter, groupBy)) {
      if (from < complete) throw linesAreGone(complete)
      return { from, to, sums: await sumLines(db, { from, to, groupBy, filter }) }
    }
    const range = wholeHoursBefore(complete, question)
    if (!isLabel(groupBy)) {
      const [sums] = await sumRanges(db, [{ range, groupBy, only: oneValueOf(filter, groupBy), now }])
      return { ...range, sums: sums! }
    }
    const [sums, all] = await sumRanges(db, [
      { range, groupBy, now },
      { range, groupBy: 'status', now },
    ])
    return { ...range, sums: [...withoutLabel(sums!, all!), ...sums!] }
  })
}

type SeriesQuestion = UsageQuestion & { over: Period; groups: readonly string[] }

/** The sums of some groups over time, newest last. `at` is the beginning of the day or the hour. */
export function sumSeries(db: Database, question: SeriesQuestion): Promise<(UsageSum & { at: number })[]> {
  return whileComplete(db, async (complete) => {
    const { from, to, groupBy, over, filter = {}, groups, now } = question
    const summed = { groupBy, over, groups }
    // A filter that needs no lines asks for one of the groups, and `groups` says so already.
    const { sql, values } = needsLines(filter, groupBy)
      ? sumLinesSql({ ...summed, from, to, filter }, db.kind)
      : sumRangesSql([{ ...summed, range: wholeHoursBefore(complete, question), now }], db.kind)
    const rows = await db.report<SumRow & { period: number }>(sql, values)
    return rows.map((row) => ({ ...toSum(row, groupBy), at: Number(row.period) * PERIOD_MS[over] }))
  })
}

/** Sums again if lines were removed meanwhile: the sum may have needed them. */
export async function whileComplete<T>(db: Database, sum: (complete: number) => Promise<T>): Promise<T> {
  for (let complete = await completeFrom(db); ; ) {
    const summed = await sum(complete)
    const now = await completeFrom(db)
    if (now === complete) return summed
    complete = now
  }
}

function needsLines(filter: LineFilter, groupBy: UsageGroup): boolean {
  return Object.keys(filter).length > 0 && !oneValueOf(filter, groupBy)
}

/** Roll-ups can answer for one value of one dimension, over time. */
function oneValueOf(filter: LineFilter, groupBy: UsageGroup): OneValue | undefined {
  const [name, ...more] = Object.keys(filter)
  if (name === undefined || more.length > 0 || !Object.hasOwn(DIMENSIONS, name)) return undefined
  if (!isPeriod(groupBy) && groupBy !== name) return undefined
  const dimension = name as Dimension
  return dimension === 'requested_model' ? undefined : { dimension, value: filter[dimension]! }
}

export function linesAreGone(complete: number) {
  const since = new Date(complete).toISOString()
  const msg = `Value error, with this filter a report can begin at ${since}: single calls before are no longer stored`
  return problem('validation_error', {
    message: msg,
    param: 'from',
    detail: [{ loc: ['query', 'from'], msg, type: 'value_error' }],
  })
}

/** What has no such label: all requests without those that have one. */
function withoutLabel(sums: readonly UsageSum[], all: readonly Sums[]): UsageSum[] {
  const rest = subtractSums(all.reduce(addSums, NOTHING), sums.reduce<Sums>(addSums, NOTHING))
  return rest.requests > 0 ? [{ ...rest, group: '' }] : []
}

/** Without its lines, an hour can only be counted as a whole. */
function wholeHoursBefore(complete: number, { from, to }: Range): Range {
  return {
    from: from < complete ? Math.floor(from / HOUR_MS) * HOUR_MS : from,
    to: to < complete ? Math.ceil(to / HOUR_MS) * HOUR_MS : to,
  }
}

async function sumLines(db: Database, summed: SummedLines): Promise<UsageSum[]> {
  const { sql, values } = sumLinesSql(summed, db.kind)
  return (await db.report<SumRow>(sql, values)).map((row) => toSum(row, summed.groupBy))
}

/** The sums of each question, all of the same moment. */
async function sumRanges(db: Database, questions: readonly SummedRange[]): Promise<UsageSum[][]> {
  const { sql, values } = sumRangesSql(questions, db.kind)
  const rows = await db.report<SumRow & { part: number }>(sql, values)
  return questions.map(({ groupBy }, part) => rows.filter((row) => row.part === part).map((row) => toSum(row, groupBy)))
}

type SumRow = Record<string, string> & { group: string | number }

function toSum(row: SumRow, groupBy: UsageGroup): UsageSum {
  return {
    group: isPeriod(groupBy) ? periodName(Number(row.group), groupBy) : String(row.group),
    requests: Number(row.requests),
    promptTokens: Number(row.prompt_tokens),
    cachedTokens: Number(row.cached_tokens),
    completionTokens: Number(row.completion_tokens),
    costNanos: BigInt(row.cost_nanos!),
    unpricedRequests: Number(row.unpriced_requests),
    failedRequests: Number(row.failed_requests),
    latencies: row.latencies!.split(',').map(Number),
  }
}
