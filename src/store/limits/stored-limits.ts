import type { Database, Statement } from '../database.ts'

/** `settings` is JSON, which the store does not read. */
export type StoredLimit = { id: string; settings: string; createdAt: number; updatedAt: number }

const COLUMNS = 'id, settings, created_at AS "createdAt", updated_at AS "updatedAt"'
/** The row is locked until the change is committed, so that versions are counted in the order of the commits. */
export const NEW_VERSION: Statement = { sql: 'UPDATE limit_versions SET version = version + 1' }

export async function limitVersion(db: Database): Promise<number> {
  return (await db.query<{ version: number }>('SELECT version FROM limit_versions'))[0]?.version ?? 0
}

export function readStoredLimits(db: Database, max: number): Promise<StoredLimit[]> {
  return db.query<StoredLimit>(`SELECT ${COLUMNS} FROM limits ORDER BY id LIMIT $1`, [max])
}

export async function findStoredLimit(db: Database, id: string): Promise<StoredLimit | undefined> {
  return (await db.query<StoredLimit>(`SELECT ${COLUMNS} FROM limits WHERE id = $1`, [id]))[0]
}

export async function countStoredLimits(db: Database): Promise<number> {
  return (await db.query<{ count: number }>('SELECT CAST(COUNT(*) AS BIGINT) AS count FROM limits'))[0]!.count
}

type NewLimit = { id: string; settings: string; max: number }

/** Returns false if there is a limit with this id, or if there are `max` limits. */
export async function insertLimit(db: Database, { id, settings, max }: NewLimit): Promise<boolean> {
  const sql = `INSERT INTO limits (id, settings, created_at, updated_at)
    SELECT $1, $2, now_ms(), now_ms() WHERE (SELECT COUNT(*) FROM limits) < $3 ON CONFLICT (id) DO NOTHING RETURNING id`
  return await changed(db, { sql, values: [id, settings, max] })
}

type Change = { id: string; before: string; after: string }

/** Returns false if the limit is not what it was when it was read. */
export async function replaceLimit(db: Database, { id, before, after }: Change): Promise<boolean> {
  const sql = 'UPDATE limits SET settings = $3, updated_at = now_ms() WHERE id = $1 AND settings = $2 RETURNING id'
  return await changed(db, { sql, values: [id, before, after] })
}

/** What was spent stays: a limit that is made again with the same id goes on where this one ended. */
export async function deleteLimit(db: Database, id: string): Promise<boolean> {
  return await changed(db, { sql: 'DELETE FROM limits WHERE id = $1 RETURNING id', values: [id] })
}

async function changed(db: Database, change: Statement): Promise<boolean> {
  const [, result] = await db.transaction([NEW_VERSION, { ...change, required: true }])
  return (result?.changes ?? 0) > 0
}
