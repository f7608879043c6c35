import { placesFor } from '../conditions.ts'
import type { Database } from '../database.ts'

/** Where a key belongs. */
export type KeyPlace = { id: string; project: string; user: string | null }

export async function findKeyPlaces(db: Database, ids: readonly string[]): Promise<KeyPlace[]> {
  if (ids.length === 0) return []
  let place = 0
  const places = placesFor(ids).replaceAll('?', () => `$${++place}`)
  return await db.query<KeyPlace>(`SELECT id, project, user_id AS "user" FROM keys WHERE id IN (${places})`, ids)
}
