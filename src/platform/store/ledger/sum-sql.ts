import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { LATENCY_COLUMNS } from './latency-histogram.ts'
import { addFilter, type LineFilter } from './line-filter.ts'
import { labelsOfLine } from './rolled-labels.ts'
import { DIMENSIONS, type Dimension, SUM_COLUMNS, sumsOfLines, sumsOfSums } from './rollups.ts'
import { type Piece, type Range, splitRange } from './split-range.ts'
import { IS_ROLLED_UP, linesOfBatches } from './unrolled-batches.ts'
import { isLabel, isPeriod, PERIOD_MS, type Period, type UsageGroup } from './usage-group.ts'

// The two statements that sum usage: over the lines that pass a filter, and over roll-ups, with lines at the ends of the range
// and lines that the roll-ups do not have yet. Each is one statement, because it has to see one state of the store.
// Their rows have the group, its sums and, for a series, the number of the period; all rows of other reports are of period 0.

/** More groups than these cannot be told apart in a chart. */
export const MAX_SERIES = 8

type Summed = {
  groupBy: UsageGroup
  /** For a series: the sums of these groups, for each period. */
  over?: Period
  groups?: readonly string[]
}
export type SummedLines = Summed & Range & { filter: LineFilter }
export type SummedRange = Summed & { range: Range; only?: OneValue | undefined; now: number }

/** A filter that roll-ups can answer. */
export type OneValue = { dimension: Dimension; value: string }

type SqlText = { sql: string; values: Value[] }

export function sumLinesSql(summed: SummedLines, kind: Database['kind']): SqlText {
  const { from, to, groupBy, filter, over, groups } = summed
  const values: Value[] = [from, to]
  const group = groupOfLine(groupBy, kind, values)
  const where = conditions(values)
  where.add('at >= $1 AND at < $2')
  addFilter(where, filter, kind)
  const sums = `SELECT ${periodOf('at', over)}, COALESCE(${group}, ${isPeriod(groupBy) ? 0 : "''"}) AS "group", ${sumsOfLines()}
    FROM usage ${where.where()} GROUP BY 1, 2`
  const columns = asTexts((column) => column)
  const some = groups ? `WHERE ${isAmong(groups, values)}` : ''
  const sql = `SELECT period, "group", ${columns} FROM (${sums}) AS summed ${some} ORDER BY period, "group"`
  return { sql, values }
}

/**
 * One text for each way of grouping, whatever the range: a range has always the same pieces, some of them empty. Its rows have
 * the number of their question in `part`.
 */
export function sumRangesSql(questions: readonly SummedRange[], kind: Database['kind']): SqlText {
  const values: Value[] = []
  const parts = questions.map(
    (summed, part) => `SELECT ${part} AS part, summed.* FROM (${sumRangeSql(summed, kind, values)}) AS summed`,
  )
  return { sql: `${parts.join(' UNION ALL ')} ORDER BY part, period, "group"`, values }
}

function sumRangeSql(summed: SummedRange, kind: Database['kind'], values: Value[]): string {
  const { range, groupBy, now, over, groups } = summed
  const sources = sourcesFor(summed, kind, values)
  const pieces = splitRange(range, { now, largest: over ?? (isPeriod(groupBy) ? groupBy : 'week') })
  const newer: Summand = { ...range, sign: 1, source: sources.unrolled }
  const union = [...pieces.map((piece) => summandOf(piece, sources)), newer].map((summand) => sumOne(summand, values))
  const columns = asTexts((column) => `SUM(sign * ${column})`)
  const condition = groups ? isAmong(groups, values) : '"group" IS NOT NULL'
  return `SELECT period, "group", ${columns} FROM (${union.join(' UNION ALL ')}) AS pieces
    WHERE ${condition} GROUP BY period, "group" HAVING SUM(sign * requests) > 0`
}

/** What is selected of a table, and which of its rows besides those of the range. */
type Source = { time: string; columns: string; table: string; condition: string }
/** `rolledUp` are lines that the roll-ups have, `unrolled` all others. */
type Sources = { rollUps: Source; rolledUp: Source; unrolled: Source }
type Summand = Range & { sign: 1 | -1; source: Source }

function sourcesFor({ groupBy, only, over }: SummedRange, kind: Database['kind'], values: Value[]): Sources {
  // Every dimension counts each line once, so the one with the fewest values serves reports by time.
  const $dimension = `$${values.push(only?.dimension ?? (isPeriod(groupBy) ? 'status' : groupBy))}`
  const ofLine = groupOfLine(groupBy, kind, values)
  const ofRollUp = isPeriod(groupBy) ? `start / ${PERIOD_MS[groupBy]}` : 'value'
  const $value = only && `$${values.push(only.value)}`
  const lines = { time: 'at', columns: `${periodOf('at', over)}, ${ofLine} AS "group", ${sumsOfLines()}` }
  const isOfValue = only ? `AND ${DIMENSIONS[only.dimension]} = ${$value}` : ''
  return {
    rolledUp: { ...lines, table: 'usage', condition: `AND ${IS_ROLLED_UP} ${isOfValue}` },
    unrolled: { ...lines, table: linesOfBatches('unrolled_batches', kind), condition: isOfValue },
    rollUps: {
      time: 'start',
      table: 'usage_rollups',
      columns: `${periodOf('start', over)}, ${ofRollUp} AS "group", ${sumsOfSums()}`,
      condition: `AND dimension = ${$dimension} ${only ? `AND value = ${$value}` : ''}`,
    },
  }
}

function summandOf({ of, ...piece }: Piece, { rollUps, rolledUp }: Sources): Summand {
  if (of === 'line') return { ...piece, source: rolledUp }
  return { ...piece, source: { ...rollUps, condition: `AND step = '${of}' ${rollUps.condition}` } }
}

function sumOne({ from, to, sign, source: { time, columns, table, condition } }: Summand, values: Value[]): string {
  return `SELECT CAST($${values.push(sign)} AS BIGINT) AS sign, ${columns} FROM ${table}
    WHERE ${time} >= $${values.push(from)} AND ${time} < $${values.push(to)} ${condition} GROUP BY 2, 3`
}

function periodOf(time: string, over: Period | undefined): string {
  return `${over ? `${time} / ${PERIOD_MS[over]}` : '0'} AS period`
}

/** SQL over the columns of a line. A label that the line does not have is NULL. */
function groupOfLine(groupBy: UsageGroup, kind: Database['kind'], values: Value[]): string {
  if (isPeriod(groupBy)) return `at / ${PERIOD_MS[groupBy]}`
  if (!isLabel(groupBy)) return DIMENSIONS[groupBy]
  return `(SELECT CAST(label.value AS TEXT) FROM ${labelsOfLine(kind, 'usage')} WHERE label.key = $${values.push(groupBy)})`
}

/** Always as many places, so that the text of the statement does not depend on how many groups there are. */
function isAmong(groups: readonly string[], values: Value[]): string {
  const places = Array.from({ length: MAX_SERIES }, (_, at) => `$${values.push(groups[at] ?? groups[0] ?? '')}`)
  return `"group" IN (${places.join(', ')})`
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
