import type { Database, Statement } from '../database.ts'
import { ROLLED_COLUMNS, rollUpSql } from './rollups.ts'
import { linesOfBatches } from './unrolled-batches.ts'

// Adds lines to the roll-ups, slice by slice: some batches, oldest first. A slice is one transaction that also removes the
// batches, so it is done once or not at all, in whichever process and whenever it is interrupted. One process at a time adds
// slices (money/billing/roll-up-rounds.ts) only because several would wait for each other.

/**
 * On SQLite other writers wait for a slice, and a sum of this many lines with the highest cost is still an integer. On
 * PostgreSQL no writer waits, and the more lines are added up, the fewer rows are written for each.
 */
const LINES_AT_ONCE = { sqlite: 1_000, postgres: 50_000 }
const BATCHES_AT_ONCE = 2_000

/** The oldest batches, until they have `$1` lines: at least one. */
const SLICE = `SELECT number, first_at, last_at FROM (
    SELECT number, first_at, last_at, SUM(lines) OVER (ORDER BY number) - lines AS lines_before
    FROM (SELECT * FROM unrolled_batches ORDER BY number LIMIT ${BATCHES_AT_ONCE}) AS oldest
  ) AS counted WHERE lines_before < $1`

/** Whether there is anything to add. */
export async function hasUnrolled(db: Database): Promise<boolean> {
  return (await db.query('SELECT number FROM unrolled_batches LIMIT 1')).length > 0
}

/** Adds one slice. Returns whether there may be enough for another one. */
export async function rollUpSlice(db: Database): Promise<boolean> {
  const batches = await rollUpBatches(db)
  const lines = batches.reduce((sum, { lines }) => sum + lines, 0)
  return batches.length >= BATCHES_AT_ONCE || lines >= LINES_AT_ONCE[db.kind]
}

/** Adds everything, before lines are removed. */
export async function rollUpAll(db: Database): Promise<void> {
  while ((await rollUpBatches(db)).length > 0);
}

async function rollUpBatches(db: Database): Promise<{ lines: number }[]> {
  const results = await db.transaction(slice(db.kind))
  return results.at(-1)!.rows as { lines: number }[]
}

/** One statement, which sees one state of the store: batches and their lines. */
const ON_POSTGRES = `WITH rolled AS (
    DELETE FROM unrolled_batches WHERE number IN (SELECT number FROM (${SLICE}) AS slice)
    RETURNING number, lines, first_at, last_at
  ), lines AS MATERIALIZED (SELECT ${ROLLED_COLUMNS} FROM ${linesOfBatches('rolled', 'postgres')}),
  added AS (${rollUpSql('lines', 'postgres')})
  SELECT lines FROM rolled`

/** While this transaction writes, no other one does, so the slice is the same in each statement. */
const ON_SQLITE = [
  rollUpSql(`(SELECT ${ROLLED_COLUMNS} FROM ${linesOfBatches(`(${SLICE})`, 'sqlite')})`, 'sqlite'),
  `DELETE FROM unrolled_batches WHERE number IN (SELECT number FROM (${SLICE})) RETURNING lines`,
]

/** A plan with hash tables needs some memory, and compiling it takes longer than running it. */
const PLANNING = ["SET LOCAL work_mem = '64MB'", 'SET LOCAL jit = off']

/** The statements of a slice. The last one returns the batches. */
export function slice(kind: Database['kind'], lines = LINES_AT_ONCE[kind]): Statement[] {
  const values = [lines]
  if (kind === 'sqlite') return ON_SQLITE.map((sql) => ({ sql, values }))
  return [...PLANNING.map((sql) => ({ sql })), { sql: ON_POSTGRES, values }]
}
