import type { Migration } from '../migration.ts'

/**
 * `steady_ms()` is the clock of leases, deadlines and retries. On PostgreSQL it is the clock of the database's machine; on
 * SQLite, sqlite-clock.ts keeps it in this table. `ahead` is what it adds to the clock of the machine.
 */
export const migration: Migration = {
  postgresOnly: [`CREATE FUNCTION steady_ms() RETURNS BIGINT LANGUAGE sql VOLATILE AS 'SELECT now_ms()'`],
  statements: [
    `CREATE TABLE store_clock (
      boot TEXT NOT NULL,
      ahead BIGINT NOT NULL,
      steady BIGINT NOT NULL,
      wall BIGINT NOT NULL
    )`,
  ],
}
