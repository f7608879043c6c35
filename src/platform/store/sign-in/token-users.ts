import type { Database } from '../database.ts'

/** The user with this subject of this issuer, if there is one. */
export async function findTokenUser(
  db: Database,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<{ id: string; disabledAt: number | null } | undefined> {
  const sql = 'SELECT id, disabled_at AS "disabledAt" FROM users WHERE issuer = $1 AND subject = $2'
  return (await db.query<{ id: string; disabledAt: number | null }>(sql, [issuer, subject]))[0]
}

/** A text that is another one after a project or a user has changed. */
export async function peopleVersion(db: Database): Promise<string> {
  const [row] = await db.query<{ version: string }>(`SELECT
    COALESCE(CAST((SELECT MAX(updated_at) FROM projects) AS TEXT), '') || ' ' ||
    COALESCE(CAST((SELECT MAX(updated_at) FROM users) AS TEXT), '') AS version`)
  return row!.version
}
