import type { Database, Statement, Value } from '../database.ts'
import { type LabelCounts, labelCounts } from './rolled-labels.ts'
import {
  appendUsage,
  type CountedLine,
  typeOf,
  USAGE_COLUMN_NAMES,
  USAGE_COLUMNS,
  type LedgerLine,
} from './ledger-line.ts'
import { batchOf, insertBatchSql, NEWEST_BATCH, type NewBatch } from './unrolled-batches.ts'
import { SETTLE_INSERTED, settleNewLines } from '../limits/charges.ts'
import { multiRow } from '../multi-row.ts'
import { storableJson } from '../json/storable-json.ts'

// Inserts ledger lines. In the same transaction they are added to what is spent of limits. They are added to the roll-ups later
// (ledger/roll-up-batches.ts): every writer would have to wait for the same rows there. Until then reports add them up themselves.

/** Inserts all lines or none. Inserting a line again does no harm, because each id counts once. */
export async function insertUsage(db: Database, lines: readonly LedgerLine[]): Promise<void> {
  if (lines.length === 0) return
  await db.transaction(insertions(db, lines))
}

/** The statements that insert all lines. */
export function insertions(db: Database, lines: readonly LedgerLine[]): Statement[] {
  const counted = withCounts(lines, labelCounts(db))
  const batch = batchOf(lines)
  if (db.kind === 'postgres') return [insertOnPostgres(counted, batch)]
  return [insertBatch(batch), ...insertLines(counted), ...settleNew(counted)]
}

function withCounts(lines: readonly LedgerLine[], counts: LabelCounts): CountedLine[] {
  return lines.map((line) => ({ line, rolled: counts.of(line), charges: line.charges?.length ? line.charges : null }))
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
  const batch = batchOf([line])
  if (db.kind === 'postgres')
    return [{ sql: insertAndSettle(source, counted, all.length + 1), values: [...all, ...batchValues(batch)] }]
  return [insertBatch(batch), { sql: insertFrom(source, NEWEST_BATCH), values: all }, ...settleNew(counted)]
}

/** Inserts lines of a table expression as a batch. */
function insertFrom(source: string, batch: string): string {
  return `INSERT INTO usage (${USAGE_COLUMNS}, batch) SELECT lines.*, ${batch} FROM (${source}) AS lines
    WHERE true ON CONFLICT (at, id) DO NOTHING`
}

/** PostgreSQL says which of the lines it did not have yet, and only those are charged to limits. */
function insertAndSettle(source: string, lines: readonly CountedLine[], batchIndex: number): string {
  const insert = insertFrom(source, '(SELECT number FROM batch)')
  const batch = `WITH batch AS (${insertBatchSql(batchIndex)} RETURNING number)`
  if (!hasCharges(lines)) return `${batch} ${insert}`
  return `${batch}, inserted AS (${insert} RETURNING charges)${SETTLE_INSERTED} SELECT 1 AS settled`
}

/** Lines as lists of their values. PostgreSQL takes twice as long to read objects with names, or to read JSON that is not JSONB. */
const LIST = `SELECT ${USAGE_COLUMN_NAMES.map((name, index) => `CAST(line->>${index} AS ${typeOf(name)}) AS ${name}`).join(', ')}
  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS line`

/** One text for any number of lines: encoding all values of each line takes longer. */
function insertOnPostgres(lines: readonly CountedLine[], batch: NewBatch): Statement {
  return { sql: insertAndSettle(LIST, lines, 2), values: [storableJson(lines.map(toList)), ...batchValues(batch)] }
}

function toList(line: CountedLine): Value[] {
  const values: Value[] = []
  appendUsage(values, line)
  return values
}

// SQLite cannot say which lines it did not have yet, but they are those that have got the number of the new batch.

function insertBatch(batch: NewBatch): Statement {
  return { sql: insertBatchSql(), values: batchValues(batch) }
}

function batchValues({ lines, firstAt, lastAt }: NewBatch): Value[] {
  return [lines, firstAt, lastAt]
}

const insertLines = multiRow<CountedLine>({
  columns: USAGE_COLUMN_NAMES.length,
  sql: (tuples) => insertFrom(`VALUES ${tuples}`, NEWEST_BATCH),
  append: appendUsage,
})

const settle = settleNewLines(`usage.batch = ${NEWEST_BATCH}`)

/** Adds the new lines to what is spent of limits. */
function settleNew(lines: readonly CountedLine[]): Statement[] {
  return hasCharges(lines) ? settle(lines.map(({ charges }) => charges)) : []
}
