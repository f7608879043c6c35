import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'

/** The tables whose rows have an id and a name. Rows of deleted keys and projects stay, because the ledger names them; those of users do not. */
const TABLES = { key: 'keys', project: 'projects', organization: 'organizations', user: 'users' } as const
export type Named = keyof typeof TABLES

const IDS_AT_ONCE = 500

export function isNamed(dimension: string): dimension is Named {
  return Object.hasOwn(TABLES, dimension)
}

/** The names of these ids, as far as they are known. */
export async function namesOf(db: Database, dimension: Named, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const some = ids.slice(start, start + IDS_AT_ONCE)
    const places = numberedPlaceholders(some)
    const sql = `SELECT id, name FROM ${TABLES[dimension]} WHERE id IN (${places})`
    for (const { id, name } of await db.report<{ id: string; name: string }>(sql, some)) names.set(id, name)
  }
  return names
}
