import type { Database, Statement, Value } from './database.ts'
import { type LabelCounts, labelCounts } from './ledger/rolled-labels.ts'
import { rollUpLabelsSql, rollUpSql } from './ledger/rollups.ts'
import {
  appendUsage,
  type CountedLine,
  typeOf,
  USAGE_COLUMN_NAMES,
  USAGE_COLUMNS,
  type LedgerLine,
} from './ledger/ledger-line.ts'
import { SETTLE_INSERTED, settleNewLines, storableCharges } from './limits/charges.ts'
import { multiRow } from './multi-row.ts'
import { storableJson } from './json/storable-json.ts'

// Inserts ledger lines. In the same transaction they are added to the roll-ups, and to what is spent of limits.

/** Inserts all lines or none. Inserting a line again does no harm, because each id counts once. */
export async function insertUsage(db: Database, lines: readonly LedgerLine[]): Promise<void> {
  if (lines.length === 0) return
  await db.transaction(insertions(db, lines))
}

/** The statements that insert all lines. */
export function insertions(db: Database, lines: readonly LedgerLine[]): Statement[] {
  const counted = withCounts(lines, labelCounts(db))
  if (db.kind === 'postgres') return [insertOnPostgres(counted)]
  return [...MARK_LAST_LINE, ...insertLines(counted), ...countNewLines(counted)]
}

function withCounts(lines: readonly LedgerLine[], counts: LabelCounts): CountedLine[] {
  return lines.map((line) => ({ line, rolled: counts.of(line), charges: storableCharges(line.charges) }))
}

function hasLabels(lines: readonly CountedLine[]): boolean {
  return lines.some(({ rolled }) => rolled !== null)
}

function hasCharges(lines: readonly CountedLine[]): boolean {
  return lines.some(({ charges }) => charges !== null)
}

/** The end of a job, as the statement that ends it writes it. */
export type EndedJob = { id: string; attempt: number; status: string; finishedAt: number }

/** Comes after the statement that ends the job, and inserts the line only if that statement did. */
export function insertUsageOfJob(db: Database, line: LedgerLine, ended: EndedJob): Statement[] {
  const { id, attempt, status, finishedAt } = ended
  const values: Value[] = []
  const counted = withCounts([line], labelCounts(db))
  appendUsage(values, counted[0]!)
  const columns = USAGE_COLUMN_NAMES.map((name, index) => `CAST($${index + 1} AS ${typeOf(name)}) AS ${name}`)
  const [$id, $attempt, $state, $finished] = [1, 2, 3, 4].map((index) => `$${values.length + index}`)
  const source = `SELECT ${columns} WHERE EXISTS (
      SELECT 1 FROM jobs WHERE id = ${$id} AND attempt = ${$attempt} AND state = ${$state} AND finished_at = ${$finished})`
  const all = [...values, id, attempt, status, finishedAt]
  if (db.kind === 'postgres') return [{ sql: insertAndCount(source, counted), values: all }]
  const insert = { sql: `INSERT INTO usage (${USAGE_COLUMNS}) ${source} ON CONFLICT (at, id) DO NOTHING`, values: all }
  return [...MARK_LAST_LINE, insert, ...countNewLines(counted)]
}

/** PostgreSQL says which of the lines it did not have yet, and only those are rolled up and charged to limits. */
function insertAndCount(source: string, lines: readonly CountedLine[]): string {
  const labels = hasLabels(lines) ? `, labels AS (${rollUpLabelsSql('inserted', 'postgres')})` : ''
  return `WITH inserted AS (
      INSERT INTO usage (${USAGE_COLUMNS}) ${source} ON CONFLICT (at, id) DO NOTHING RETURNING ${USAGE_COLUMNS}
    )${labels}${hasCharges(lines) ? SETTLE_INSERTED : ''} ${rollUpSql('inserted')}`
}

const LIST = `SELECT ${USAGE_COLUMNS} FROM json_to_recordset(CAST($1 AS JSON)) AS line (
  ${USAGE_COLUMN_NAMES.map((name) => `${name} ${typeOf(name)}`).join(', ')})`

/** One text for any number of lines: encoding all values of each line takes longer. */
function insertOnPostgres(lines: readonly CountedLine[]): Statement {
  return { sql: insertAndCount(LIST, lines), values: [storableJson(lines.map(toRecord))] }
}

function toRecord(line: CountedLine): Record<string, Value> {
  const values: Value[] = []
  appendUsage(values, line)
  return Object.fromEntries(USAGE_COLUMN_NAMES.map((name, index) => [name, values[index]!]))
}

// SQLite cannot say which lines it did not have yet. But it numbers lines upwards, and has one writer at a time: new lines
// are those with a higher number than the last line had before the batch.

const MARK_LAST_LINE: Statement[] = [
  { sql: 'CREATE TEMP TABLE IF NOT EXISTS last_line (number INTEGER)' },
  { sql: 'DELETE FROM last_line' },
  { sql: 'INSERT INTO last_line SELECT COALESCE(MAX(rowid), 0) FROM usage' },
]

const insertLines = multiRow<CountedLine>({
  columns: USAGE_COLUMN_NAMES.length,
  sql: (tuples) => `INSERT INTO usage (${USAGE_COLUMNS}) VALUES ${tuples} ON CONFLICT (at, id) DO NOTHING`,
  append: appendUsage,
})

const IS_NEW = 'usage.rowid > (SELECT number FROM last_line)'
const NEW_LINES = `(SELECT * FROM usage WHERE ${IS_NEW})`
const ROLL_UP_NEW_LINES: Statement = { sql: rollUpSql(NEW_LINES) }
const ROLL_UP_NEW_LABELS: Statement = { sql: rollUpLabelsSql(NEW_LINES, 'sqlite') }
const settle = settleNewLines(IS_NEW)

/** Adds the new lines to the roll-ups, and to what is spent of limits. */
function countNewLines(lines: readonly CountedLine[]): Statement[] {
  return [
    ...(hasCharges(lines) ? settle(lines.map(({ charges }) => charges)) : []),
    ROLL_UP_NEW_LINES,
    ...(hasLabels(lines) ? [ROLL_UP_NEW_LABELS] : []),
  ]
}
