import type { Database } from '../database.ts'
import type { StoredInvitation } from '../people/invitations.ts'

/** The newest invitation of this e-mail address that can still be used. */
export async function findInvitationFor(
  db: Database,
  email: string,
  now: number,
): Promise<Pick<StoredInvitation, 'id' | 'organization' | 'project' | 'role'> | undefined> {
  const sql = `SELECT id, organization, project, role FROM invitations
    WHERE email = $1 AND used_at IS NULL AND expires_at > $2 ORDER BY created_at DESC, id DESC LIMIT 1`
  return (await db.query<Pick<StoredInvitation, 'id' | 'organization' | 'project' | 'role'>>(sql, [email, now]))[0]
}

/** Those of these projects that exist, with their organizations. */
export async function existingProjects(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const places = ids.map((_, index) => `$${index + 1}`).join(', ')
  const sql = `SELECT id, organization FROM projects WHERE deleted_at IS NULL AND id IN (${places})`
  const found = await db.query<{ id: string; organization: string }>(sql, ids)
  return new Map(found.map(({ id, organization }) => [id, organization]))
}
