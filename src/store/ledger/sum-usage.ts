import { problem } from '../../contract/problems.ts'
import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { addFilter, type LineFilter } from './line-filter.ts'
import { LATENCY_COLUMNS } from './latency-histogram.ts'
import { completeFrom } from './expire-lines.ts'
import { type END_USER, labelsOfLine, type TAG_PREFIX } from './rolled-labels.ts'
import { DAY_MS, DIMENSIONS, type Dimension, HOUR_MS, SUM_COLUMNS, sumsOfLines, sumsOfSums } from './rollups.ts'
import { type Piece, type Range, splitRange } from './split-range.ts'
import { addSums, NOTHING, type Sums, subtractSums } from './usage-sums.ts'

type Label = typeof END_USER | `${typeof TAG_PREFIX}${string}`
export type UsageGroup = Dimension | 'day' | 'hour' | Label

/** More groups than these cannot be told apart in a chart. */
export const MAX_SERIES = 8

export type UsageSum = Sums & { group: string }
export type UsageSums = Range & { sums: UsageSum[] }

export type UsageQuestion = Range & { groupBy: UsageGroup; filter?: LineFilter | undefined; now: number }

/**
 * Sums the requests with `from` ≤ time < `to`. Where the lines have been removed, the range grows to whole hours; the result
 * has the range that was summed. A filter that needs lines that have been removed is refused.
 */
export async function sumUsage(db: Database, question: UsageQuestion): Promise<UsageSums> {
  const complete = await completeFrom(db)
  const { groupBy, filter = {}, now } = question
  const only = onlyOf(filter, groupBy)
  if (!only && Object.keys(filter).length > 0) {
    if (question.from < complete) throw needsLines(complete)
    return await sumLines(db, { ...question, filter })
  }
  const range = wholeHoursBefore(complete, question)
  const sums = await sumRange(db, { range, groupBy, only, now })
  if (!isLabel(groupBy)) return { ...range, sums }
  const all = await sumRange(db, { range, groupBy: 'status', now })
  return { ...range, sums: [...withoutLabel(sums, all), ...sums] }
}

function needsLines(complete: number) {
  const since = new Date(complete).toISOString()
  const msg = `Value error, with this filter a report can begin at ${since}: single calls before are no longer stored`
  return problem('validation_error', {
    message: msg,
    param: 'from',
    detail: [{ loc: ['query', 'from'], msg, type: 'value_error' }],
  })
}

/** Roll-ups can answer for one value of one dimension, over time. */
function onlyOf(filter: LineFilter, groupBy: UsageGroup): Only | undefined {
  const [name, ...more] = Object.keys(filter)
  if (name === undefined || more.length > 0 || !Object.hasOwn(DIMENSIONS, name)) return undefined
  if (!isTime(groupBy) && groupBy !== name) return undefined
  const dimension = name as Dimension
  return dimension === 'requested_model' ? undefined : { dimension, value: filter[dimension]! }
}

export type SeriesQuestion = UsageQuestion & { over: 'day' | 'hour'; groups: readonly string[] }

/** The sums of some groups over time, newest last. `at` is the beginning of the day or the hour. */
export async function sumSeries(db: Database, question: SeriesQuestion): Promise<(UsageSum & { at: number })[]> {
  const { groupBy, over, filter = {}, groups, now } = question
  const { length } = TIMES[over]
  // A filter by the group itself leaves one group, which roll-ups have.
  const isFiltered = Object.keys(filter).length > 0 && !onlyOf(filter, groupBy)
  const range = isFiltered ? question : wholeHoursBefore(await completeFrom(db), question)
  const { sql, values } = isFiltered
    ? linesSql({ ...question, filter }, db.kind)
    : reportSql({ range, groupBy, over, groups, now }, db.kind)
  const rows = await db.report<Row & { bucket: number }>(sql, values)
  return rows.map((row) => ({ ...toSum(row, groupBy), at: Number(row.bucket) * length }))
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

type Row = Record<string, string> & { group: string | number }

/** Times are grouped as numbers, because the two databases share no function that would format them. */
const TIMES = {
  day: { length: DAY_MS, chars: 'YYYY-MM-DD'.length },
  hour: { length: HOUR_MS, chars: 'YYYY-MM-DDTHH'.length },
}

function isTime(groupBy: UsageGroup): groupBy is keyof typeof TIMES {
  return groupBy === 'day' || groupBy === 'hour'
}

function isLabel(groupBy: UsageGroup): groupBy is Label {
  return !isTime(groupBy) && !Object.hasOwn(DIMENSIONS, groupBy)
}

async function sumLines(db: Database, question: UsageQuestion): Promise<UsageSums> {
  const { from, to, groupBy } = question
  const { sql, values } = linesSql(question, db.kind)
  const rows = await db.report<Row>(sql, values)
  return { from, to, sums: rows.map((row) => toSum(row, groupBy)) }
}

type LinesQuestion = UsageQuestion & { over?: 'day' | 'hour'; groups?: readonly string[] }

function linesSql({ from, to, groupBy, filter, over, groups }: LinesQuestion, kind: Database['kind']) {
  const values: Value[] = [from, to]
  const group = groupOfLine(groupBy, kind, values)
  const where = conditions(values)
  where.add('at >= $1 AND at < $2')
  addFilter(where, filter!, kind)
  const bucket = over ? `at / ${TIMES[over].length}` : '0'
  const sums = `SELECT ${bucket} AS bucket, COALESCE(${group}, ${isTime(groupBy) ? 0 : "''"}) AS "group", ${sumsOfLines()}
    FROM usage ${where.where()} GROUP BY 1, 2`
  const columns = asTexts((column) => column)
  const some = groups ? `WHERE ${isAmong(groups, values)}` : ''
  const sql = `SELECT bucket, "group", ${columns} FROM (${sums}) AS summed ${some} ORDER BY bucket, "group"`
  return { sql, values }
}

/** Always as many places, so that the text of the statement does not depend on how many groups there are. */
function isAmong(groups: readonly string[], values: Value[]): string {
  const places = Array.from({ length: MAX_SERIES }, (_, at) => `$${values.push(groups[at] ?? groups[0] ?? '')}`)
  return `"group" IN (${places.join(', ')})`
}

/** SQL over the columns of a line. A label that the line does not have is NULL. */
function groupOfLine(groupBy: UsageGroup, kind: Database['kind'], values: Value[]): string {
  if (isTime(groupBy)) return `at / ${TIMES[groupBy].length}`
  if (!isLabel(groupBy)) return DIMENSIONS[groupBy]
  return `(SELECT CAST(label.value AS TEXT) FROM ${labelsOfLine(kind, 'usage')} WHERE label.key = $${values.push(groupBy)})`
}

type Only = { dimension: Dimension; value: string }
type Summed = {
  range: Range
  groupBy: UsageGroup
  only?: Only | undefined
  now: number
  /** Only for these groups, over time. */
  over?: 'day' | 'hour'
  groups?: readonly string[]
}

async function sumRange(db: Database, summed: Summed): Promise<UsageSum[]> {
  const { sql, values } = reportSql(summed, db.kind)
  return (await db.report<Row>(sql, values)).map((row) => toSum(row, summed.groupBy))
}

/** One text for each way of grouping, whatever the range: a range has always the same pieces, some of them empty. */
function reportSql({ range, groupBy, only, now, over, groups }: Summed, kind: Database['kind']) {
  // Every dimension counts each line once, so the one with the fewest values serves reports by time.
  const dimension = only?.dimension ?? (isTime(groupBy) ? 'status' : groupBy)
  const values: Value[] = [dimension]
  const groupOfSum = isTime(groupBy) ? `start / ${TIMES[groupBy].length}` : 'value'
  const ofLine = groupOfLine(groupBy, kind, values)
  const value = only && `$${values.push(only.value)}`
  const pieces = splitRange(range, { now, largest: over ?? (isTime(groupBy) ? groupBy : 'week') })
  const bucketOf = (time: string) => `${over ? `${time} / ${TIMES[over].length}` : '0'} AS bucket`
  const columns = asTexts((column) => `SUM(sign * ${column})`)
  const union = pieces.map(select).join(' UNION ALL ')
  const wanted = groups ? isAmong(groups, values) : '"group" IS NOT NULL'
  const sql = `SELECT bucket, "group", ${columns} FROM (${union}) AS pieces
    WHERE ${wanted} GROUP BY bucket, "group" HAVING SUM(sign * requests) > 0 ORDER BY bucket, "group"`
  return { sql, values }

  function select(piece: Piece): string {
    const sign = `CAST($${values.push(piece.sign)} AS BIGINT) AS sign`
    const [from, to] = [`$${values.push(piece.from)}`, `$${values.push(piece.to)}`]
    if (piece.of === 'line')
      return `SELECT ${sign}, ${bucketOf('at')}, ${ofLine} AS "group", ${sumsOfLines()} FROM usage
        WHERE at >= ${from} AND at < ${to} ${only ? `AND ${DIMENSIONS[only.dimension]} = ${value}` : ''} GROUP BY 2, 3`
    return `SELECT ${sign}, ${bucketOf('start')}, ${groupOfSum} AS "group", ${sumsOfSums()} FROM usage_rollups
      WHERE step = '${piece.of}' AND dimension = $1 AND start >= ${from} AND start < ${to}
        ${only ? `AND value = ${value}` : ''} GROUP BY 2, 3`
  }
}

/**
 * Sums arrive as texts, because they may be larger than the integers that a number can hold. Those of latencies are one text: a
 * report by hour has thousands of rows, and a row of few columns crosses threads and connections faster.
 */
function asTexts(sumOf: (column: string) => string): string {
  const text = (column: string) => `CAST(${sumOf(column)} AS TEXT)`
  const others = SUM_COLUMNS.filter((column) => !LATENCY_COLUMNS.includes(column))
  const latencies = LATENCY_COLUMNS.map(text).join(" || ',' || ")
  return [...others.map((column) => `${text(column)} AS ${column}`), `${latencies} AS latencies`].join(', ')
}

function toSum(row: Row, groupBy: UsageGroup): UsageSum {
  return {
    group: isTime(groupBy) ? toTime(Number(row.group), groupBy) : String(row.group),
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

/** `2026-11-16`, or `2026-11-16T08:00Z` for an hour. */
function toTime(number: number, groupBy: 'day' | 'hour'): string {
  const { length, chars } = TIMES[groupBy]
  const text = new Date(number * length).toISOString().slice(0, chars)
  return groupBy === 'day' ? text : `${text}:00Z`
}
