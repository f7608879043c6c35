import type { ContentSettings } from '../../../contract/admin/content.ts'
import type { Database } from '../database.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from './keys.ts'
import { type ContentMode, KEEPS_CONTENT } from '../contents/contents.ts'

/** Projects that keep content, and keys whose next requests are recorded. Both are few. */
export type RecordingRules = { projects: Map<string, ContentSettings>; keys: Map<string, RecordedKey> }
type RecordedKey = { mode: ContentMode; until: number }

const MAX_ROWS = 10_000

export async function readRecordingRules(db: Database): Promise<RecordingRules> {
  const projects = await db.query<{ id: string; content: string }>(
    `SELECT id, content FROM projects WHERE ${KEEPS_CONTENT} AND deleted_at IS NULL ORDER BY id LIMIT ${MAX_ROWS}`,
  )
  const keys = await db.query<RecordedKey & { id: string }>(
    `SELECT id, record_mode AS mode, record_until AS until FROM keys
     WHERE record_left > 0 AND record_until > now_ms() AND revoked_at IS NULL ORDER BY record_until DESC LIMIT ${MAX_ROWS}`,
  )
  return {
    projects: new Map(projects.map(({ id, content }) => [id, JSON.parse(content)])),
    keys: new Map(keys.map(({ id, mode, until }) => [id, { mode, until }])),
  }
}

/** Returns undefined if there is no such key, or if it is revoked. */
export async function recordNext(
  db: Database,
  id: string,
  { requests, forMs, mode }: { requests: number; forMs: number; mode: ContentMode },
): Promise<StoredKey | undefined> {
  const sql = `UPDATE keys SET record_left = $2, record_until = now_ms() + CAST($3 AS BIGINT), record_mode = $4, updated_at = now_ms()
    WHERE id = $1 AND revoked_at IS NULL RETURNING ${KEY_COLUMNS}`
  const [row] = await db.query<KeyRow>(sql, [id, requests, forMs, mode])
  return row && toKey(row)
}
