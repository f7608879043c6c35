import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'
import type { StoredInvitation } from '../people/invitations.ts'

export type OpenInvitation = Pick<
  StoredInvitation,
  'id' | 'organization' | 'project' | 'role' | 'invitedBy' | 'createdAt'
>

const MOST = 100

/** The invitations of this e-mail address whose time is not over, newest first. */
export function findInvitationsFor(db: Database, email: string, now: number): Promise<OpenInvitation[]> {
  const sql = `SELECT id, organization, project, role, invited_by AS "invitedBy", created_at AS "createdAt" FROM invitations
    WHERE email = $1 AND used_at IS NULL AND expires_at > $2 ORDER BY created_at DESC, id DESC LIMIT ${MOST}`
  return db.query<OpenInvitation>(sql, [email, now])
}

/** Those of these projects that exist, with their organizations. */
export async function existingProjects(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const places = numberedPlaceholders(ids)
  const sql = `SELECT id, organization FROM projects WHERE deleted_at IS NULL AND id IN (${places})`
  const found = await db.query<{ id: string; organization: string }>(sql, ids)
  return new Map(found.map(({ id, organization }) => [id, organization]))
}
