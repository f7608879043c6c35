import type { Database, Value } from '../database.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from '../keys.ts'

/** What can be changed of a key. A member that is absent stays as it is. */
export type KeyChanges = Partial<
  Pick<StoredKey, 'name' | 'region' | 'scopes' | 'allowedIps' | 'expiresAt' | 'user' | 'policy'>
>

const COLUMNS: Record<keyof KeyChanges, string> = {
  name: 'name',
  region: 'region',
  scopes: 'scopes',
  allowedIps: 'allowed_ips',
  expiresAt: 'expires_at',
  user: 'user_id',
  policy: 'policy',
}

/** Returns undefined for an unknown id, and for a key that is revoked: it stays as it was. */
export async function updateKey(db: Database, id: string, changes: KeyChanges): Promise<StoredKey | undefined> {
  const named = (Object.keys(COLUMNS) as (keyof KeyChanges)[]).filter((name) => changes[name] !== undefined)
  const assignments = named.map((name, index) => `${COLUMNS[name]} = $${index + 2}, `)
  const [row] = await db.query<KeyRow>(
    `UPDATE keys SET ${assignments.join('')}updated_at = now_ms()
     WHERE id = $1 AND revoked_at IS NULL RETURNING ${KEY_COLUMNS}`,
    [id, ...named.map((name) => storedValue(changes[name]!))],
  )
  return row && toKey(row)
}

function storedValue(change: string | number | object | null): Value {
  return typeof change === 'object' && change !== null ? JSON.stringify(change) : change
}
