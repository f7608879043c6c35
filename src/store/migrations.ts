import type { Database, Statement } from './database.ts'
import { keysAndUsage } from './migrations/0001-keys-and-usage.ts'
import { jobsAndDeliveries } from './migrations/0002-jobs-and-deliveries.ts'
import { files } from './migrations/0003-files.ts'
import { auditableUsage } from './migrations/0004-auditable-usage.ts'
import { collections } from './migrations/0005-collections.ts'
import { deliveriesByOwner } from './migrations/0006-deliveries-by-owner.ts'

export type Migration = { number: number; postgresOnly?: readonly string[]; statements: readonly string[] }

const MIGRATIONS: readonly Migration[] = [
  keysAndUsage,
  jobsAndDeliveries,
  files,
  auditableUsage,
  collections,
  deliveriesByOwner,
]
export const MIGRATION_NUMBERS: readonly number[] = MIGRATIONS.map((migration) => migration.number)
const NEWEST_KNOWN = Math.max(...MIGRATION_NUMBERS)

// Any number will do, as long as every version of this program takes the same.
const ADVISORY_LOCK = 7_401_951

/** Brings the schema up to date. Any number of processes may start at once: one applies, the others wait and go on. */
export async function migrate(db: Database): Promise<{ applied: number[] }> {
  await underLock(db, [
    { sql: 'CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)' },
  ])
  const applied: number[] = []
  for (const migration of await missing(db)) if (await apply(db, migration)) applied.push(migration.number)
  return { applied }
}

async function missing(db: Database): Promise<Migration[]> {
  const rows = await db.query<{ number: number }>('SELECT number FROM schema_migrations')
  const present = new Set(rows.map((row) => row.number))
  refuseNewer(Math.max(0, ...present))
  return MIGRATIONS.filter((migration) => !present.has(migration.number))
}

function refuseNewer(newest: number) {
  if (newest <= NEWEST_KNOWN) return
  const versions = `The database has schema ${newest}, and this program knows schemas up to ${NEWEST_KNOWN}`
  throw new Error(`${versions}: it was opened by a newer Gatehouse. Start that version or a later one.`)
}

/** Says whether it was us. When another process was faster, our attempt failed as a whole and its row is there. */
async function apply(db: Database, migration: Migration): Promise<boolean> {
  try {
    await underLock(db, statementsOf(db, migration))
    return true
  } catch (error) {
    if ((await missing(db)).includes(migration)) throw error
    return false
  }
}

function statementsOf(db: Database, { number, postgresOnly = [], statements }: Migration): Statement[] {
  const texts = db.kind === 'postgres' ? [...postgresOnly, ...statements] : statements
  const note = 'INSERT INTO schema_migrations (number, applied_at) VALUES ($1, now_ms())'
  return [...texts.map((sql) => ({ sql })), { sql: note, values: [number] }]
}

/** SQLite's transactions hold its one write lock anyway. */
async function underLock(db: Database, statements: Statement[]) {
  const lock = db.kind === 'postgres' ? [{ sql: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK] }] : []
  await db.transaction([...lock, ...statements], { unhurried: true })
}
