import type { Database } from '../database.ts'

/** Empty for a role on a whole organization. */
type CallScope = { organization: string; project: string }

/** Where calls of a person can be made: where the person has a role, or a key that works. */
export function findCallScopes(db: Database, user: string): Promise<CallScope[]> {
  const sql = `SELECT organization, COALESCE(project, '') AS project FROM members WHERE user_id = $1
    UNION SELECT projects.organization, keys.project FROM keys JOIN projects ON projects.id = keys.project
      WHERE keys.user_id = $1 AND keys.revoked_at IS NULL
    ORDER BY organization, project`
  return db.query<CallScope>(sql, [user])
}
