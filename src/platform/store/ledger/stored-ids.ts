import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'
import { indexedId } from './line-filter.ts'

const IDS_PER_QUERY = 500

/** Those of these calls that have a line in the ledger. */
export async function storedIds(db: Database, ids: readonly string[]): Promise<string[]> {
  const stored: string[] = []
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const sql = `SELECT id FROM usage WHERE ${indexedId(db.kind)} IN (${numberedPlaceholders(some)})`
    for (const { id } of await db.query<{ id: string }>(sql, some)) stored.push(id)
  }
  return stored
}
