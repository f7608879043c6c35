import type { Database } from '../database.ts'
import type { LedgerLine } from './ledger-line.ts'
import { storedAt } from './ledger-line.ts'

// Which lines the roll-ups do not have yet. A batch of lines has a row in `unrolled_batches`, which appears and disappears
// together with what it says: its lines are committed with it, and the process that adds them to the roll-ups removes it in
// the same transaction. So one statement, which sees one state of the store, always finds each line either in the roll-ups or in a
// batch, in whatever order transactions began and ended.

/** What is inserted about a batch. `lines` is the most that it can have: some may be in the ledger already. */
export type NewBatch = { lines: number; firstAt: number; lastAt: number }

export function batchOf(lines: readonly LedgerLine[]): NewBatch {
  let [firstAt, lastAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const line of lines) {
    const at = storedAt(line)
    if (at < firstAt) firstAt = at
    if (at > lastAt) lastAt = at
  }
  return { lines: lines.length, firstAt, lastAt }
}

/** `$1` is the number of lines, `$2` and `$3` are the first and the last time; or the places from another number on. */
export function insertBatchSql(firstIndex = 1): string {
  const [$lines, $first, $last] = [firstIndex, firstIndex + 1, firstIndex + 2].map(
    (number) => `CAST($${number} AS BIGINT)`,
  )
  return `INSERT INTO unrolled_batches (lines, first_at, last_at) VALUES (${$lines}, ${$first}, ${$last})`
}

/** The number of the batch that this transaction has inserted: on SQLite there is one writer, and numbers only grow. */
export const NEWEST_BATCH = '(SELECT MAX(number) FROM unrolled_batches)'

/** A condition for lines of the table `usage`: the roll-ups have them. */
export const IS_ROLLED_UP = 'NOT EXISTS (SELECT 1 FROM unrolled_batches WHERE unrolled_batches.number = usage.batch)'

/**
 * A table expression with the lines of batches, called `usage`. It goes from the batches to their lines: PostgreSQL does not
 * know how few batches there are, and would read the whole ledger to join them.
 */
export function linesOfBatches(batches: string, kind: Database['kind']): string {
  const isOfBatch = 'usage.batch = batches.number AND usage.at >= batches.first_at AND usage.at <= batches.last_at'
  return kind === 'postgres'
    ? `${batches} AS batches CROSS JOIN LATERAL (SELECT * FROM usage WHERE ${isOfBatch} OFFSET 0) AS usage`
    : `${batches} AS batches CROSS JOIN usage ON ${isOfBatch}`
}
