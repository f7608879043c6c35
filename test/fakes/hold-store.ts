import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { sqlitePath } from '../../src/platform/store/sqlite.ts'

/** Of migrations, and one that the gateway does not use. */
const [MIGRATIONS_LOCK, TEST_LOCK] = [7_401_951, 42]
const ENDLESS = `INSERT INTO slow_things WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i > 0)
  SELECT COUNT(*) FROM n`

/** Where a store is, as a gateway is told. */
type Store = { dataDir: string; env: { DATABASE_URL?: string } }

/** A statement of a migration that does not end before `release`; on SQLite it never ends. */
export async function holdLock({ env }: Store): Promise<{ endless: string; release(): Promise<void> }> {
  if (!env.DATABASE_URL) return { endless: ENDLESS, release: async () => {} }
  return { endless: `SELECT pg_advisory_xact_lock(${TEST_LOCK})`, release: await lock(env.DATABASE_URL, TEST_LOCK) }
}

/** Keeps every process from migrating, as one that migrates does. Returns what ends that. */
export async function holdMigrations({ dataDir, env }: Store): Promise<() => Promise<void>> {
  if (env.DATABASE_URL) return lock(env.DATABASE_URL, MIGRATIONS_LOCK)
  const db = new DatabaseSync(sqlitePath(dataDir))
  db.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE')
  return async () => {
    if (db.isOpen) db.close()
  }
}

async function lock(databaseUrl: string, number: number): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('SELECT pg_advisory_lock($1)', [number])
  let ended: Promise<void> | undefined
  return () => {
    ended ??= client.end()
    return ended
  }
}
