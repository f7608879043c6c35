import type { Database } from '../database.ts'
import { LATENCY_COLUMNS, LATENCY_RANGE, latencyCase } from './latency-histogram.ts'
import { FAILED } from './line-columns.ts'
import { labelsOfLine } from './rolled-labels.ts'
import { HOUR_MS, DAY_MS } from '../../../base/units/units.ts'

// Sums of ledger lines by hour, day and week (seven days from a multiple of seven days since 1970), which outlive the lines
// and answer reports. There is one sum for each value of each dimension, not for each combination of values: combinations of
// keys, models and endpoints can be nearly as many as the lines, and values are few.
//
// A new dimension is a line in DIMENSIONS, and, after the first release, a migration that rolls up the existing lines for it. End
// users and tags are dimensions as well; rolled-labels.ts says why they are apart. A report that filters by one dimension and
// groups by another is made of lines.

export const WEEK_MS = 7 * DAY_MS
const STEPS = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS }

/** SQL expressions over the columns of a line. */
export const DIMENSIONS = {
  organization: 'organization',
  project: 'project',
  owner: 'owner_id',
  user: "COALESCE(user_id, '')",
  key: 'key_id',
  // A caller may ask for any name, so only names that led to a model count.
  requested_model: "CASE WHEN model = '' THEN '' ELSE COALESCE(requested_model, '') END",
  model: 'model',
  provider: 'provider',
  endpoint: 'endpoint',
  client: "COALESCE(client, '')",
  status: "CAST(status / 100 AS TEXT) || 'xx'",
} as const
export type Dimension = keyof typeof DIMENSIONS

/** The columns of a line that roll-ups are made of. */
export const ROLLED_COLUMNS = `at, organization, project, owner_id, key_id, user_id, requested_model, model, provider, endpoint, client, status, code,
  prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, duration_ms, rolled_labels`

/** What is added up without a condition on the latency, as SQL over the columns of a line. */
const PLAIN_SUMS: Record<string, string> = {
  requests: '1',
  failed_requests: `CASE WHEN ${FAILED} THEN 1 ELSE 0 END`,
  unpriced_requests: 'CASE WHEN cost_nanos IS NULL THEN 1 ELSE 0 END',
  prompt_tokens: 'prompt_tokens',
  cached_tokens: 'cached_tokens',
  cache_write_tokens: 'cache_write_tokens',
  completion_tokens: 'completion_tokens',
  reasoning_tokens: 'reasoning_tokens',
  cost_nanos: 'COALESCE(cost_nanos, 0)',
  duration_ms: 'duration_ms',
}

/** Everything that is added up. */
const LINE_SUMS: Record<string, string> = {
  ...PLAIN_SUMS,
  ...Object.fromEntries(LATENCY_COLUMNS.map((column, index) => [column, latencyCase(index)])),
}

export const SUM_COLUMNS = Object.keys(LINE_SUMS)

export const ROLLUPS_TABLE = `CREATE TABLE usage_rollups (
  step TEXT NOT NULL CHECK (step IN ('hour', 'day', 'week')),
  dimension TEXT NOT NULL,
  start BIGINT NOT NULL,
  value TEXT NOT NULL,
  ${SUM_COLUMNS.map((column) => `${column} BIGINT NOT NULL`).join(', ')},
  PRIMARY KEY (step, dimension, start, value)
)`

/** The sums of lines, for a SELECT that groups them. PostgreSQL adds integers up to a type without a limit. */
export function sumsOfLines(): string {
  return sumsOf(LINE_SUMS)
}

function sumsOf(expressions: Record<string, string>): string {
  return Object.entries(expressions)
    .map(([column, expression]) => `SUM(${expression}) AS ${column}`)
    .join(', ')
}

export function sumsOfSums(): string {
  return SUM_COLUMNS.map((column) => `SUM(${column}) AS ${column}`).join(', ')
}

/**
 * Adds lines to the roll-ups. `lines` is a table or a table expression with the columns of the ledger. Rows are written in the
 * order of their key, so that two processes do not wait for each other in a circle.
 */
export function rollUpSql(lines: string, kind: Database['kind']): string {
  const byDimension = kind === 'postgres' ? byGroupingSets(lines) : byCrossJoin(lines)
  return addToRollUps(`${byDimension} UNION ALL ${byLabel(lines, kind)}`)
}

function byLabel(lines: string, kind: Database['kind']): string {
  return `SELECT at - at % ${HOUR_MS} AS hour, label.key AS dimension, CAST(label.value AS TEXT) AS value,
      ${LATENCY_RANGE} AS latency_range, ${integerSumsOf(PLAIN_SUMS)}
    FROM ${lines} AS lines CROSS JOIN ${labelsOfLine(kind, 'lines')} WHERE rolled_labels IS NOT NULL
    GROUP BY 1, 2, 3, 4`
}

/** Adds sums by hour, dimension, value and range of the latency. Each step has fewer rows to add up than the one before. */
function addToRollUps(byRange: string): string {
  const byHour = `SELECT hour, dimension, value, ${integerSumsOf(RANGE_SUMS)} FROM (${byRange}) AS by_range GROUP BY 1, 2, 3`
  return `INSERT INTO usage_rollups (step, dimension, start, value, ${SUM_COLUMNS.join(', ')})
    SELECT step, dimension, hour - hour % length AS start, value, ${integerSumsOf(SAME_SUMS)}
    FROM (${byHour}) AS by_hour CROSS JOIN (${STEP_ROWS}) AS steps
    WHERE 1 = 1 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (step, dimension, start, value) DO UPDATE
    SET ${SUM_COLUMNS.map((column) => `${column} = ${addedUp(column)}`).join(', ')}`
}

/**
 * More than an installation uses in a week: 400 million dollars. Absurd figures of a provider must not add up to more than
 * the column holds, because PostgreSQL would refuse every later sum.
 */
const MAX_SUM = 400_000_000_000_000_000n

/** PostgreSQL adds integers up to a type without a limit, which takes far longer to add up again. */
function integerSumsOf(expressions: Record<string, string>): string {
  return Object.entries(expressions)
    .map(([column, expression]) => `CAST(${limited(`SUM(${expression})`)} AS BIGINT) AS ${column}`)
    .join(', ')
}

function addedUp(column: string): string {
  return limited(`usage_rollups.${column} + excluded.${column}`)
}

/** Two sums within the limit can be added up before the limit is applied again. */
function limited(sum: string): string {
  return `CASE WHEN ${sum} > ${MAX_SUM} THEN ${MAX_SUM} WHEN ${sum} < -${MAX_SUM} THEN -${MAX_SUM} ELSE ${sum} END`
}

/** The same sums, over rows that have them already. */
const SAME_SUMS = Object.fromEntries(SUM_COLUMNS.map((column) => [column, column]))
const SAME_PLAIN_SUMS = Object.fromEntries(Object.keys(PLAIN_SUMS).map((column) => [column, column]))
/** The same, over rows of one range of the latency each. */
const RANGE_SUMS = {
  ...SAME_PLAIN_SUMS,
  ...Object.fromEntries(
    LATENCY_COLUMNS.map((column, range) => [column, `CASE latency_range WHEN ${range} THEN requests ELSE 0 END`]),
  ),
}

const ALL = Object.keys(DIMENSIONS) as Dimension[]
const STEP_ROWS = Object.entries(STEPS)
  .map(([step, length]) => `SELECT '${step}' AS step, ${length} AS length`)
  .join(' UNION ALL ')

const VALUES = ALL.map((dimension) => `${DIMENSIONS[dimension]} AS d_${dimension}`).join(', ')
const NAMES = ALL.map((dimension) => `d_${dimension}`)

/**
 * For SQLite: each line becomes a row for each dimension. Lines with the same values in all dimensions and a latency in the
 * same range are added up first, because there are often few such groups.
 */
function byCrossJoin(lines: string): string {
  const combined = `SELECT at - at % ${HOUR_MS} AS hour, ${VALUES}, ${LATENCY_RANGE} AS latency_range, ${sumsOf(PLAIN_SUMS)}
    FROM ${lines} AS lines GROUP BY hour, ${NAMES.join(', ')}, latency_range`
  const value = ALL.map((dimension) => `WHEN '${dimension}' THEN d_${dimension}`).join(' ')
  const rows = ALL.map((dimension) => `SELECT '${dimension}' AS dimension`).join(' UNION ALL ')
  return `SELECT hour, dimension, CASE dimension ${value} END AS value, latency_range,
      ${integerSumsOf(SAME_PLAIN_SUMS)}
    FROM (${combined}) AS combined CROSS JOIN (${rows}) AS dimensions GROUP BY 1, 2, 3, 4`
}

/** For PostgreSQL, which groups by all dimensions in one pass. `GROUPING` has a bit for each of them that a row is not of. */
function byGroupingSets(lines: string): string {
  const sets = NAMES.map((name) => `(hour, latency_range, ${name})`).join(', ')
  const all = 2 ** ALL.length - 1
  const pick = (of: (dimension: Dimension) => string) =>
    `CASE others ${ALL.map((dimension, at) => `WHEN ${all - 2 ** (ALL.length - 1 - at)} THEN ${of(dimension)}`).join(' ')} END`
  return `SELECT hour, ${pick((dimension) => `'${dimension}'`)} AS dimension, ${pick((dimension) => `d_${dimension}`)} AS value,
      latency_range, ${Object.keys(PLAIN_SUMS).join(', ')}
    FROM (
      SELECT hour, latency_range, ${NAMES.join(', ')}, GROUPING(${NAMES.join(', ')}) AS others, ${integerSumsOf(PLAIN_SUMS)}
      FROM (SELECT *, at - at % ${HOUR_MS} AS hour, ${LATENCY_RANGE} AS latency_range, ${VALUES} FROM ${lines} AS lines) AS valued
      GROUP BY GROUPING SETS (${sets})
    ) AS grouped`
}
