import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Statement } from './database.ts'
import type { Migration, NumberedMigration } from './migration.ts'
import { StoreTooNew } from './store-unavailable.ts'

const FOLDER = join(import.meta.dirname, 'migrations')
const FILE_NAME = /^(\d{4})-[\w-]+\.[jt]s$/

/** Every file in `migrations/`, in the order of their numbers. */
export const MIGRATIONS: readonly NumberedMigration[] = await Promise.all(migrationFiles().map(load))

/** A file with a wrong name, or a gap or a duplicate in the numbers, stops the start. */
function migrationFiles(): string[] {
  const names = readdirSync(FOLDER).sort()
  for (const [index, name] of names.entries()) {
    if (Number(FILE_NAME.exec(name)?.[1]) !== index + 1)
      throw new Error(
        `src/store/migrations/${name}: the name must be ${String(index + 1).padStart(4, '0')}-what-it-does.ts`,
      )
  }
  return names
}

async function load(name: string): Promise<NumberedMigration> {
  const { migration } = (await import(`./migrations/${name}`)) as { migration?: Migration }
  if (!migration) throw new Error(`src/store/migrations/${name} does not export \`migration\``)
  return { ...migration, number: Number(name.slice(0, 4)) }
}

// Any number works, as long as all versions of this program use the same one.
const ADVISORY_LOCK = 7_401_951

/**
 * Brings the schema up to date. Any number of processes may start at once: one applies the migrations, the others wait and
 * continue.
 * @param migrations those that this program knows; tests add their own
 */
export async function migrate(
  db: Database,
  applying?: Applying,
  migrations: Migrations = MIGRATIONS,
): Promise<{ applied: number[] }> {
  await underLock(db, [
    { sql: 'CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)' },
  ])
  const applied: number[] = []
  for (const migration of await missing(db, migrations)) {
    applying?.(migration.number, migrations.length)
    if (await apply(db, migration, migrations)) applied.push(migration.number)
  }
  return { applied }
}

type Migrations = readonly NumberedMigration[]

/** Called before each migration: the number of the migration, and how many there are. */
export type Applying = (number: number, newest: number) => void

/** The schema that the database has (0 without any), and the newest one that this program knows. Changes nothing. */
export async function schemaOf(db: Database): Promise<{ present: number; known: number }> {
  const table =
    db.kind === 'postgres'
      ? "SELECT CAST(to_regclass('schema_migrations') AS TEXT) AS name"
      : "SELECT name FROM sqlite_master WHERE name = 'schema_migrations'"
  const [found] = await db.query<{ name: string | null }>(table)
  const known = MIGRATIONS.length
  if (!found?.name) return { present: 0, known }
  const [row] = await db.query<{ newest: number | null }>('SELECT MAX(number) AS newest FROM schema_migrations')
  return { present: row?.newest ?? 0, known }
}

async function missing(db: Database, migrations: Migrations): Promise<NumberedMigration[]> {
  const rows = await db.query<{ number: number }>('SELECT number FROM schema_migrations')
  const present = new Set(rows.map((row) => row.number))
  refuseNewer(Math.max(0, ...present), migrations.length)
  return migrations.filter((migration) => !present.has(migration.number))
}

function refuseNewer(newest: number, known: number) {
  if (newest <= known) return
  const versions = `The database has schema ${newest}, but this program knows only schemas up to ${known}`
  const rollBack = 'stopping all processes and restoring the backup from before the upgrade (docs/operating.md)'
  throw new StoreTooNew(`${versions}: use the newer version that has upgraded it, or roll back by ${rollBack}.`)
}

/**
 * Returns whether this process applied the migration. If another process was faster, our transaction failed as a whole and
 * the other's row is there.
 */
async function apply(db: Database, migration: NumberedMigration, migrations: Migrations): Promise<boolean> {
  try {
    await underLock(db, statementsOf(db, migration))
    return true
  } catch (error) {
    if ((await missing(db, migrations)).includes(migration)) throw error
    return false
  }
}

function statementsOf(db: Database, { number, statements }: NumberedMigration): Statement[] {
  const note = 'INSERT INTO schema_migrations (number, applied_at) VALUES ($1, now_ms())'
  return [...statements(db.kind).map((sql) => ({ sql })), { sql: note, values: [number] }]
}

/** A transaction of SQLite holds the only write lock anyway. */
async function underLock(db: Database, statements: Statement[]) {
  const lock = db.kind === 'postgres' ? [{ sql: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK] }] : []
  await db.transaction([...lock, ...statements], { unhurried: true })
}
