import type { Database, Statement, Value } from '../database.ts'
import type { Reach } from '../people/reach.ts'
import { keyConditions } from './key-filter.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from './keys.ts'

// Keys of clients, without those of admins and of agents.

const OF_CLIENTS = "kind IN ('live', 'sandbox')"

type Numbers = { limit: number; offset: number; reach: Reach | undefined }

/** A part of the list, newest first, and how many keys there are. */
export async function listClientKeys(
  db: Database,
  { limit, offset, reach }: Numbers,
): Promise<{ keys: StoredKey[]; total: number }> {
  const values: Value[] = []
  const { add, where } = keyConditions(values, { reach })
  add(OF_CLIENTS)
  const count = { sql: `SELECT CAST(COUNT(*) AS BIGINT) AS count FROM keys ${where()}`, values: [...values] }
  const page = `LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`
  const list = {
    sql: `SELECT ${KEY_COLUMNS} FROM keys ${where()} ORDER BY created_at DESC, id DESC ${page}`,
    values,
  }
  const [counted, listed] = await db.transaction([count, list])
  return { keys: (listed!.rows as KeyRow[]).map(toKey), total: Number((counted!.rows[0] as { count: number }).count) }
}

type KeyName = { project: string; name: string; except?: string | undefined }

/** Finds something unless an active key of the project has this name. */
export function nameIsFree({ project, name, except = '' }: KeyName): Statement {
  const sql = `SELECT 1 AS free WHERE NOT EXISTS (SELECT 1 FROM keys WHERE project = $1 AND name = $2 AND id <> $3
    AND ${OF_CLIENTS} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now_ms()))`
  return { sql, values: [project, name, except], required: true }
}
