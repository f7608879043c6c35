import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database } from '../database.ts'
import { DEFAULT } from './projects.ts'

export type StoredOrganization = { id: string; name: string; createdAt: number }

const COLUMNS = 'id, name, created_at AS "createdAt"'

export async function findOrganization(db: Database, id: string): Promise<StoredOrganization | undefined> {
  return (await db.query<StoredOrganization>(`SELECT ${COLUMNS} FROM organizations WHERE id = $1`, [id]))[0]
}

/** Newest first. */
export async function listOrganizations(
  db: Database,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<StoredOrganization>> {
  const after = cursor === undefined ? '' : 'WHERE (created_at, id) < ($2, $3)'
  const sql = `SELECT ${COLUMNS} FROM organizations ${after} ORDER BY created_at DESC, id DESC LIMIT $1`
  const values = [limit + 1, ...(cursor === undefined ? [] : readCursor(cursor))]
  return toPage(await db.query<StoredOrganization>(sql, values), limit)
}

/** A single organization is not shown in other bodies. */
export async function hasSeveralOrganizations(db: Database): Promise<boolean> {
  return (await db.query('SELECT id FROM organizations LIMIT 2')).length > 1
}

/** Returns undefined if the id is taken. */
export async function insertOrganization(
  db: Database,
  { id, name }: Pick<StoredOrganization, 'id' | 'name'>,
): Promise<StoredOrganization | undefined> {
  const sql = `INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, now_ms())
    ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`
  const [inserted] = await db.transaction([{ sql, values: [id, name], required: true }])
  return inserted!.rows[0] as StoredOrganization | undefined
}

/** Returns undefined for an unknown id. */
export async function renameOrganization(
  db: Database,
  { id, name }: Pick<StoredOrganization, 'id' | 'name'>,
): Promise<StoredOrganization | undefined> {
  const sql = `UPDATE organizations SET name = $2 WHERE id = $1 RETURNING ${COLUMNS}`
  const [renamed] = await db.transaction([{ sql, values: [id, name], required: true }])
  return renamed!.rows[0] as StoredOrganization | undefined
}

/**
 * Returns false if there is no such organization, or if it has projects. The rows of its deleted projects stay for the names of
 * ledger lines, and no longer name it.
 */
export async function deleteOrganization(db: Database, id: string): Promise<boolean> {
  const move = `UPDATE projects SET organization = '${DEFAULT}' WHERE organization = $1 AND deleted_at IS NOT NULL`
  const remove = `DELETE FROM organizations WHERE id = $1 AND id <> '${DEFAULT}'
    AND NOT EXISTS (SELECT 1 FROM projects WHERE organization = $1) RETURNING id`
  const [, removed] = await db.transaction([
    { sql: move, values: [id] },
    { sql: remove, values: [id], required: true },
  ])
  return removed!.rows.length > 0
}
