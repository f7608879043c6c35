import { numberedPlaces } from '../conditions.ts'
import type { Database } from '../database.ts'

/** Where a holder of limits belongs. */
type HolderPlace = { id: string; organization: string; project: string | null; user: string | null }

const PLACES = {
  key: `SELECT keys.id, projects.organization, keys.project, keys.user_id AS "user"
    FROM keys JOIN projects ON projects.id = keys.project`,
  project: `SELECT projects.id, projects.organization, projects.id AS project, NULL AS "user" FROM projects`,
  user: `SELECT users.id, users.organization, NULL AS project, users.id AS "user" FROM users`,
} as const

/** The kinds of holders that belong somewhere. */
export type PlacedHolder = keyof typeof PLACES

export async function findHolderPlaces(
  db: Database,
  holder: PlacedHolder,
  ids: readonly string[],
): Promise<HolderPlace[]> {
  if (ids.length === 0) return []
  return await db.query<HolderPlace>(`${PLACES[holder]} WHERE ${holder}s.id IN (${numberedPlaces(ids)})`, ids)
}
