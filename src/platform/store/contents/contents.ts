import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import { DAY_MS } from '../../../base/units/units.ts'
import { NOT_DELETED, OWNER_COLUMNS, OWNER_FIELDS, type Owner, ownerPlaceholders, ownerValues } from '../owner.ts'

// What is kept of the content of calls. A row is written before its bytes and deleted after them, so no bytes are forgotten.

export type ContentMode = 'redacted' | 'full'

export type StoredContent = Owner & {
  /** The id of the blob. */
  id: string
  callId: string
  user: string | null
  endUser: string | null
  mode: ContentMode
  createdAt: number
  expiresAt: number
}

export type NewContent = Omit<StoredContent, 'createdAt' | 'expiresAt'> & {
  days: number
  /** The key whose next requests are recorded, if the project itself keeps nothing. */
  recordedKey: string | null
}

const COLUMNS = `id, call_id AS "callId", ${OWNER_FIELDS}, user_id AS "user", end_user AS "endUser", mode, created_at AS "createdAt",
  expires_at AS "expiresAt"`
/** Of a row of `projects`. The setting is JSON that we have written. */
export const KEEPS_CONTENT = `content IS NOT NULL AND content NOT LIKE '%"mode":"off"%'`
const EXISTS = 'EXISTS (SELECT 1 FROM projects WHERE id = $7 AND deleted_at IS NULL'

/**
 * Returns false if nothing is to be kept any more: the project keeps nothing or is gone, or the requests of the key that were
 * to be recorded have been. What other processes have not heard of yet is decided here.
 */
export async function insertContent(db: Database, content: NewContent): Promise<boolean> {
  const { id, callId, user, endUser, mode, days, recordedKey } = content
  const isWanted = recordedKey === null ? `${EXISTS} AND ${KEEPS_CONTENT})` : `${EXISTS})`
  const sql = `INSERT INTO contents (id, call_id, user_id, end_user, mode, created_at, expires_at, ${OWNER_COLUMNS})
    SELECT $1, $2, $3, $4, $5, now_ms(), now_ms() + CAST($6 AS BIGINT), ${ownerPlaceholders(7)} WHERE ${isWanted} RETURNING id`
  const values = [id, callId, user, endUser, mode, days * DAY_MS, ...ownerValues(content)]
  const insertion = { sql, values, required: true }
  const results = await db.transaction([...(recordedKey === null ? [] : [countDown(recordedKey)]), insertion])
  return results.at(-1)!.changes > 0 && results.length === (recordedKey === null ? 1 : 2)
}

function countDown(key: string): Statement {
  const sql = `UPDATE keys SET record_left = record_left - 1
    WHERE id = $1 AND record_left > 0 AND record_until > now_ms() AND revoked_at IS NULL RETURNING id`
  return { sql, values: [key], required: true }
}

/** The newest content with this id of a call. */
export async function findContent(db: Database, callId: string): Promise<StoredContent | undefined> {
  const sql = `SELECT ${COLUMNS} FROM contents WHERE call_id = $1 AND expires_at > now_ms() AND ${NOT_DELETED} ORDER BY created_at DESC LIMIT 1`
  return (await db.query<StoredContent>(sql, [callId]))[0]
}

/** What a project keeps, the newest first. */
export function newestContents(db: Database, project: string, limit: number): Promise<StoredContent[]> {
  const sql = `SELECT ${COLUMNS} FROM contents WHERE project = $1 AND expires_at > now_ms() AND ${NOT_DELETED}
    ORDER BY created_at DESC, id LIMIT ${limit}`
  return db.query<StoredContent>(sql, [project])
}

export async function hasContent(db: Database, id: string): Promise<boolean> {
  return (await db.query('SELECT 1 FROM contents WHERE id = $1', [id])).length > 0
}

/** Content whose time is over. */
export async function expiredContents(db: Database, limit: number): Promise<string[]> {
  return await idsOf(db, `expires_at <= now_ms() ORDER BY expires_at LIMIT ${limit}`, [])
}

export async function deleteContentRows(db: Database, ids: readonly string[]): Promise<void> {
  const places = numberedPlaceholders(ids)
  if (ids.length > 0) await db.transaction([{ sql: `DELETE FROM contents WHERE id IN (${places})`, values: ids }])
}

async function idsOf(db: Database, where: string, values: Value[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(`SELECT id FROM contents WHERE ${where}`, values)
  return rows.map(({ id }) => id)
}

/** The name of the secret that encrypts the content of a project. */
export function contentSecret(project: string): string {
  return `content:${project}`
}

/** Without the key, what is left of the content is noise. */
export function deleteContentKey(project: string): Statement {
  return { sql: 'DELETE FROM secrets WHERE name = $1', values: [contentSecret(project)] }
}
