import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'
import { isIn, PLACE, type Reach } from './reach.ts'

/** Without an e-mail address, it is the link for the first owner. */
export type StoredInvitation = {
  id: string
  organization: string
  project: string | null
  role: string
  email: string | null
  invitedBy: string
  createdAt: number
  expiresAt: number
  usedAt: number | null
  usedBy: string | null
}

/** `digest` is the SHA-256 of the token in the link. */
type NewInvitation = Omit<StoredInvitation, 'usedAt' | 'usedBy'> & { digest: string }

const COLUMNS = `id, organization, project, role, email, invited_by AS "invitedBy", created_at AS "createdAt",
  expires_at AS "expiresAt", used_at AS "usedAt", used_by AS "usedBy"`

export function invitationInsertion(invitation: NewInvitation): Statement {
  const { id, digest, organization, project, role, email, invitedBy, createdAt, expiresAt } = invitation
  const sql = `INSERT INTO invitations
    (id, digest, organization, project, role, email, invited_by, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
  const values = [id, digest, organization, project, role, email, invitedBy, createdAt, expiresAt]
  return { sql, values, required: true }
}

/** Finds one that can still be used. */
export async function findInvitation(db: Database, digest: string, now: number): Promise<StoredInvitation | undefined> {
  const sql = `SELECT ${COLUMNS} FROM invitations WHERE digest = $1 AND used_at IS NULL AND expires_at > $2`
  return (await db.query<StoredInvitation>(sql, [digest, now]))[0]
}

/** Of two uses at the same time, one changes nothing. */
export function invitationUse(id: string, usedBy: string, now: number): Statement {
  const sql = 'UPDATE invitations SET used_at = $3, used_by = $2 WHERE id = $1 AND used_at IS NULL AND expires_at > $3'
  return { sql, values: [id, usedBy, now], required: true }
}

export function invitationDeletion(id: string): Statement {
  return { sql: 'DELETE FROM invitations WHERE id = $1', values: [id], required: true }
}

/** The open invitations of a user end when the user loses rights. */
export function invitationsEnd(userId: string): Statement {
  const sql = `DELETE FROM invitations WHERE used_at IS NULL AND invited_by IN ('user:' || $1, 'service:' || $1)`
  return { sql, values: [userId] }
}

/** Links for a first owner that were not used in time. */
export function expiredSetupLinks(now: number): Statement {
  return { sql: 'DELETE FROM invitations WHERE email IS NULL AND expires_at <= $1', values: [now] }
}

export async function findInvitationById(db: Database, id: string): Promise<StoredInvitation | undefined> {
  const sql = `SELECT ${COLUMNS} FROM invitations WHERE id = $1 AND email IS NOT NULL`
  return (await db.query<StoredInvitation>(sql, [id]))[0]
}

/** Newest first, without links for a first owner. */
export async function listInvitations(
  db: Database,
  page: { limit: number; cursor?: string | undefined; reach?: Reach | undefined },
): Promise<Page<StoredInvitation>> {
  const { limit, cursor, reach } = page
  const values: Value[] = [limit + 1]
  const list = conditions(values)
  list.add('email IS NOT NULL')
  if (cursor !== undefined) list.add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (reach) list.add(...isIn(reach, PLACE))
  const sql = `SELECT ${COLUMNS} FROM invitations ${list.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<StoredInvitation>(sql, values), limit)
}
