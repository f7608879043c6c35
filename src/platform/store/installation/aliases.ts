import type { Database, Statement } from '../database.ts'

/** `settings` is JSON, which the store does not read. */
export type StoredAlias = { name: string; settings: string; createdAt: number; updatedAt: number }

const COLUMNS = 'name, settings, created_at AS "createdAt", updated_at AS "updatedAt"'
/** The row is locked until the change is committed, so that versions are counted in the order of the commits. */
const NEW_VERSION: Statement = { sql: 'UPDATE alias_versions SET version = version + 1' }

export async function aliasVersion(db: Database): Promise<number> {
  return (await db.query<{ version: number }>('SELECT version FROM alias_versions'))[0]?.version ?? 0
}

export function readStoredAliases(db: Database, max: number): Promise<StoredAlias[]> {
  return db.query<StoredAlias>(`SELECT ${COLUMNS} FROM aliases ORDER BY name LIMIT $1`, [max])
}

export async function findStoredAlias(db: Database, name: string): Promise<StoredAlias | undefined> {
  return (await db.query<StoredAlias>(`SELECT ${COLUMNS} FROM aliases WHERE name = $1`, [name]))[0]
}

/** Returns false if there is an alias of this name, or if there are `max` aliases. */
export async function insertAlias(db: Database, name: string, settings: string, max: number): Promise<boolean> {
  const sql = `INSERT INTO aliases (name, settings, created_at, updated_at)
    SELECT $1, $2, now_ms(), now_ms() WHERE (SELECT COUNT(*) FROM aliases) < $3 ON CONFLICT (name) DO NOTHING`
  return await changed(db, { sql, values: [name, settings, max] })
}

/** Returns false if the alias is not what it was when it was read. */
export async function replaceAlias(db: Database, name: string, before: string, after: string): Promise<boolean> {
  const sql = 'UPDATE aliases SET settings = $3, updated_at = now_ms() WHERE name = $1 AND settings = $2'
  return await changed(db, { sql, values: [name, before, after] })
}

export async function deleteAlias(db: Database, name: string): Promise<boolean> {
  return await changed(db, { sql: 'DELETE FROM aliases WHERE name = $1', values: [name] })
}

async function changed(db: Database, change: Statement): Promise<boolean> {
  const [, result] = await db.transaction([NEW_VERSION, { ...change, required: true }])
  return result!.changes > 0
}
