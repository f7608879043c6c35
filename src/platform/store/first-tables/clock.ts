import type { Database } from '../database.ts'

/**
 * `now_ms()` is the time of the store. `steady_ms()` is the clock of leases, deadlines and retries. On PostgreSQL both are the clock
 * of the database's machine; on SQLite the connection defines them, and sqlite-clock.ts keeps the steady one in this table.
 * `ahead` is what it adds to the clock of the machine.
 */
export function clockOf(kind: Database['kind']): string[] {
  const table =
    'CREATE TABLE store_clock (boot TEXT NOT NULL, ahead BIGINT NOT NULL, steady BIGINT NOT NULL, wall BIGINT NOT NULL)'
  return kind === 'postgres' ? [NOW_MS, STEADY_MS, table] : [table]
}

const NOW_MS = `CREATE FUNCTION now_ms() RETURNS BIGINT LANGUAGE sql VOLATILE
  AS 'SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)'`
const STEADY_MS = `CREATE FUNCTION steady_ms() RETURNS BIGINT LANGUAGE sql VOLATILE AS 'SELECT now_ms()'`
