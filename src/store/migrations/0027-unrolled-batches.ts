import type { Migration } from '../migration.ts'

/**
 * A row for each batch of ledger lines that the roll-ups do not have yet. It is inserted together with its lines and removed
 * together with the change of the roll-ups. Numbers never come twice: a line keeps the number of its batch.
 * Lines that exist already are in the roll-ups and have no batch.
 */
const COLUMNS = 'lines BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL'

export const migration: Migration = {
  postgresOnly: [
    `CREATE TABLE unrolled_batches (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${COLUMNS})`,
    // Until it is analyzed, PostgreSQL expects thousands of rows in it.
    'ANALYZE unrolled_batches',
    // Every row is written again and again, and no index has a sum. With room in its page, the next version stays there.
    'ALTER TABLE usage_rollups SET (fillfactor = 60)',
  ],
  sqliteOnly: [`CREATE TABLE unrolled_batches (number INTEGER PRIMARY KEY AUTOINCREMENT, ${COLUMNS})`],
  statements: [
    'ALTER TABLE usage ADD COLUMN batch BIGINT',
    'CREATE INDEX usage_by_batch ON usage (batch, at) WHERE batch IS NOT NULL',
  ],
}
