import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { type KeyFilter, keyConditions } from './key-filter.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from './keys.ts'

// Many keys at once. Admin keys are not among them: without one, it may be that no key or person is left who can make another.

export async function countRevocable(db: Database, filter: KeyFilter): Promise<number> {
  const values: Value[] = []
  const sql = `SELECT COUNT(*) AS count FROM keys ${revocable(values, filter)}`
  return Number((await db.query<{ count: number }>(sql, values))[0]!.count)
}

/** The ids of some of them, oldest first. */
export async function chooseRevocable(db: Database, filter: KeyFilter, limit: number): Promise<string[]> {
  const values: Value[] = [limit]
  const sql = `SELECT id FROM keys ${revocable(values, filter)} ORDER BY created_at, id LIMIT $1`
  return (await db.query<{ id: string }>(sql, values)).map(({ id }) => id)
}

/** Returns those that it has revoked. */
export async function revokeKeys(db: Database, ids: readonly string[]): Promise<StoredKey[]> {
  const places = numberedPlaceholders(ids)
  const sql = `UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms()
    WHERE id IN (${places}) AND revoked_at IS NULL RETURNING ${KEY_COLUMNS}`
  return (await db.query<KeyRow>(sql, [...ids])).map(toKey)
}

function revocable(values: Value[], filter: KeyFilter): string {
  const { add, where } = keyConditions(values, filter)
  add(`revoked_at IS NULL AND kind <> 'admin'`)
  return where()
}
