import { conditions, placesFor } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'

/** A role that a user has on the organization (`project` is null) or on a project. */
export type StoredMember = {
  id: string
  organization: string
  project: string | null
  userId: string
  role: string
  /** `sso`: an identity provider rules it. */
  source: 'manual' | 'sso' | 'scim'
  createdAt: number
  updatedAt: number
}

export type NewMember = Omit<StoredMember, 'createdAt' | 'updatedAt'>

const COLUMNS = `members.id, members.organization, members.project, members.user_id AS "userId", members.role, members.source,
  members.created_at AS "createdAt", members.updated_at AS "updatedAt"`

/** Changes nothing if the user has a role there. */
export function memberInsertion({ id, organization, project, userId, role, source }: NewMember): Statement {
  const sql = `INSERT INTO members (id, organization, project, user_id, role, source, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, now_ms(), now_ms()) ON CONFLICT DO NOTHING`
  return { sql, values: [id, organization, project, userId, role, source], required: true }
}

export function roleUpdate(id: string, role: string): Statement {
  const sql = 'UPDATE members SET role = $2, updated_at = now_ms() WHERE id = $1'
  return { sql, values: [id, role], required: true }
}

export function memberDeletion(id: string): Statement {
  return { sql: 'DELETE FROM members WHERE id = $1', values: [id], required: true }
}

/**
 * Goes before a change that takes something from a user: finds nothing if the user is the last person who is an owner of the
 * organization and can sign in.
 */
export function ownerRemains(userId: string): Statement {
  const owners = `SELECT members.user_id FROM members JOIN users ON users.id = members.user_id
    WHERE members.role = 'owner' AND members.project IS NULL AND users.kind = 'person' AND users.disabled_at IS NULL`
  const sql = `SELECT 1 AS fine WHERE $1 NOT IN (${owners}) OR EXISTS (${owners} AND members.user_id <> $1)`
  return { sql, values: [userId], required: true }
}

/**
 * Keys end with the membership: revokes the keys of a user in projects where the user has no role any more. A role on the
 * organization counts for all of its projects.
 */
export function keysEnd(userId: string): Statement {
  const sql = `UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms()
    WHERE user_id = $1 AND revoked_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM members JOIN users ON users.id = members.user_id
      WHERE members.user_id = $1 AND users.disabled_at IS NULL
        AND (members.project IS NULL OR members.project = keys.project))`
  return { sql, values: [userId] }
}

export async function hasOwner(db: Database): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM members JOIN users ON users.id = members.user_id
    WHERE members.role = 'owner' AND members.project IS NULL AND users.kind = 'person' AND users.disabled_at IS NULL LIMIT 1`
  return (await db.query(sql)).length > 0
}

export async function findMember(db: Database, id: string): Promise<StoredMember | undefined> {
  return (await db.query<StoredMember>(`SELECT ${COLUMNS} FROM members WHERE id = $1`, [id]))[0]
}

export function membershipsOf(db: Database, userId: string): Promise<StoredMember[]> {
  return db.query<StoredMember>(membershipsQuery(userId).sql, [userId])
}

/** A user has few memberships: one for a project at most. */
function membershipsQuery(userId: string): Statement {
  return {
    sql: `SELECT ${COLUMNS} FROM members WHERE user_id = $1 ORDER BY created_at, id LIMIT 1000`,
    values: [userId],
  }
}

export type MemberFilter = {
  project?: string | undefined
  user?: string | undefined
  /** Only of these projects. */
  projects?: readonly string[] | undefined
}

/** Newest first. */
export async function listMembers(
  db: Database,
  { limit, cursor, project, user, projects }: { limit: number; cursor?: string | undefined } & MemberFilter,
): Promise<Page<StoredMember>> {
  const values: Value[] = [limit + 1]
  const list = conditions(values)
  if (cursor !== undefined) list.add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (project !== undefined) list.add('project = ?', [project])
  if (user !== undefined) list.add('user_id = ?', [user])
  if (projects !== undefined) list.add(`project IN (${placesFor(projects)})`, projects)
  const sql = `SELECT ${COLUMNS} FROM members ${list.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<StoredMember>(sql, values), limit)
}
