import { readdirSync } from 'node:fs'
import type { Database, Statement } from './database.ts'
import type { Migration, NumberedMigration } from './migration.ts'
import { StoreTooNew } from './store-unavailable.ts'

const FOLDER = new URL('migrations/', import.meta.url)
const FILE_NAME = /^(\d{4})-[\w-]+\.[jt]s$/

/** Every file in `migrations/`, in the order of their numbers. */
export const MIGRATIONS: readonly NumberedMigration[] = await Promise.all(migrationFiles().map(load))

/** A file with a wrong name, or a gap or a duplicate in the numbers, stops the start. */
function migrationFiles(): string[] {
  const names = readdirSync(FOLDER).sort()
  for (const [index, name] of names.entries()) {
    if (Number(FILE_NAME.exec(name)?.[1]) !== index + 1)
      throw new Error(
        `src/platform/store/migrations/${name}: the name must be ${String(index + 1).padStart(4, '0')}-what-it-does.ts`,
      )
  }
  return names
}

async function load(name: string): Promise<NumberedMigration> {
  const { migration } = (await import(new URL(name, FOLDER).href)) as { migration?: Migration }
  if (!migration) throw new Error(`src/platform/store/migrations/${name} does not export \`migration\``)
  return { ...migration, number: Number(name.slice(0, 4)) }
}

// Any number works, as long as all versions of this program use the same one.
const ADVISORY_LOCK = 7_401_951

/** Where a migration is. `statement` is 0 while it waits for another process. */
export type MigrationProgress = { migration: number; newest: number; statement: number; statements: number }

export type MigrateOptions = {
  /** Called whenever there is something new to say. */
  progress?: ((progress: MigrationProgress) => void) | undefined
  /** Tests have further ones, or fewer. */
  migrations?: readonly NumberedMigration[] | undefined
}

/**
 * Brings the schema up to date. Any number of processes may start at once: one applies the migrations, the others wait and
 * continue. A migration and the row that notes it are one transaction, so whatever ends a process leaves all of it or none.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<{ applied: number[] }> {
  const { migrations = MIGRATIONS, progress } = options
  const present = await presentIn(db)
  refuseNewer(present, migrations.length)
  const applied: number[] = []
  for (const migration of migrations.filter(({ number }) => !present.includes(number))) {
    const texts = migration.statements(db.kind)
    const at = (statement: number) => {
      const statements = texts.length
      progress?.({ migration: migration.number, newest: migrations.length, statement, statements })
    }
    at(0)
    if (await apply(db, migration.number, texts, at)) applied.push(migration.number)
    // Another process was faster, and may be of a newer version.
    else refuseNewer(await presentIn(db), migrations.length)
  }
  return { applied }
}

/** The schema that the database has (0 without any), and the newest one that this program knows. Changes nothing. */
export async function schemaOf(db: Database): Promise<{ present: number; known: number }> {
  return { present: Math.max(0, ...(await presentIn(db))), known: MIGRATIONS.length }
}

/** The numbers of the migrations that were applied. It takes no lock, so it does not wait for a process that migrates. */
async function presentIn(db: Database): Promise<number[]> {
  const table =
    db.kind === 'postgres'
      ? "SELECT CAST(to_regclass('schema_migrations') AS TEXT) AS name"
      : "SELECT name FROM sqlite_master WHERE name = 'schema_migrations'"
  const [found] = await db.query<{ name: string | null }>(table)
  if (!found?.name) return []
  const rows = await db.query<{ number: number }>('SELECT number FROM schema_migrations')
  return rows.map((row) => row.number)
}

function refuseNewer(present: readonly number[], newestKnown: number) {
  const newest = Math.max(0, ...present)
  if (newest <= newestKnown) return
  const versions = `The database has schema ${newest}, but this program knows only schemas up to ${newestKnown}`
  const rollBack = 'stopping all processes and restoring the backup from before the upgrade (docs/operating.md)'
  throw new StoreTooNew(`${versions}: use the newer version that has upgraded it, or roll back by ${rollBack}.`)
}

/**
 * Returns whether this process applied the migration. The row that notes it comes first: if another process was faster, the
 * transaction ends there and repeats nothing of a migration that may take minutes.
 */
async function apply(
  db: Database,
  number: number,
  texts: readonly string[],
  at: (statement: number) => void,
): Promise<boolean> {
  const before = [...lockOf(db), TABLE, noteOf(db, number)]
  const progress = (done: number) => done >= before.length && at(Math.min(done - before.length + 1, texts.length))
  const results = await db.transaction([...before, ...texts.map((sql) => ({ sql }))], { unhurried: true, progress })
  return results[before.length - 1]!.changes > 0
}

/** A transaction of SQLite holds the only write lock anyway. */
function lockOf({ kind }: Database): Statement[] {
  return kind === 'postgres' ? [{ sql: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK] }] : []
}

const TABLE = {
  sql: 'CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)',
}

/** The store's own clock is something that a migration creates. */
function noteOf({ kind }: Database, number: number): Statement {
  const now = kind === 'postgres' ? 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)' : 'now_ms()'
  const sql = `INSERT INTO schema_migrations (number, applied_at) VALUES ($1, ${now}) ON CONFLICT DO NOTHING`
  return { sql, values: [number], required: true }
}
