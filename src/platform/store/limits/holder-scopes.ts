import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'

/** Where a holder of limits belongs. */
type HolderScope = { id: string; organization: string; project: string | null; user: string | null }

const SCOPES = {
  key: `SELECT keys.id, projects.organization, keys.project, keys.user_id AS "user"
    FROM keys JOIN projects ON projects.id = keys.project`,
  project: `SELECT projects.id, projects.organization, projects.id AS project, NULL AS "user" FROM projects`,
  user: `SELECT users.id, users.organization, NULL AS project, users.id AS "user" FROM users`,
} as const

/** The kinds of holders that belong somewhere. */
export type ScopedHolder = keyof typeof SCOPES

export async function findHolderScopes(
  db: Database,
  holder: ScopedHolder,
  ids: readonly string[],
): Promise<HolderScope[]> {
  if (ids.length === 0) return []
  return await db.query<HolderScope>(`${SCOPES[holder]} WHERE ${holder}s.id IN (${numberedPlaceholders(ids)})`, ids)
}
