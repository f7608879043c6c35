import type { Database } from '../database.ts'

/** The wall clock of the machine that the database runs on, also before the schema has its own functions. */
export async function wallClockOf(db: Database): Promise<number> {
  if (db.kind === 'sqlite') return (await db.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now
  const sql = 'SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) AS now'
  return (await db.query<{ now: number }>(sql))[0]!.now
}
