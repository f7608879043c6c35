import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'
import { CALLING_ROLES } from '../../../contract/admin/roles.ts'
import { DEFAULT_ORGANIZATION, isIn, PLACE, type Reach } from './reach.ts'

/** A role that a user has on the organization (`project` is null) or on a project. */
export type StoredMember = {
  id: string
  organization: string
  project: string | null
  userId: string
  role: string
  /** `sso`: an identity provider rules it. */
  source: 'manual' | 'sso'
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
 * Persons who are owners of an organization and can sign in: a person who was imported or created has no way to sign in at
 * first.
 */
const OWNERS = `SELECT members.user_id, members.organization FROM members JOIN users ON users.id = members.user_id
  WHERE members.role = 'owner' AND members.project IS NULL AND users.kind = 'person' AND users.disabled_at IS NULL
    AND (users.password IS NOT NULL OR users.subject IS NOT NULL)`

/**
 * Goes before a change that takes something from a user: finds nothing if the user is the last person who is an owner of an
 * organization and can sign in. `organization` is the one that the change is about; all of them if absent.
 */
export function ownerRemains(userId: string, organization = ''): Statement {
  const sql = `SELECT 1 AS fine WHERE NOT EXISTS (
    SELECT 1 FROM (${OWNERS}) AS lost WHERE lost.user_id = $1 AND ($2 = '' OR lost.organization = $2)
      AND NOT EXISTS (SELECT 1 FROM (${OWNERS}) AS other
        WHERE other.organization = lost.organization AND other.user_id <> lost.user_id))`
  return { sql, values: [userId, organization], required: true }
}

/** As SQL: the roles with which a person may call models. */
export const MAY_CALL = CALLING_ROLES.map((role) => `'${role}'`).join(', ')

/**
 * Keys of a person end where the person has no role any more. A role on the organization counts for all of its projects. The session
 * of a coding agent also ends with a role that may have no keys.
 */
const HAS_NO_ROLE = `user_id IS NOT NULL AND revoked_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM members JOIN users ON users.id = members.user_id
  WHERE members.user_id = keys.user_id AND users.disabled_at IS NULL AND (members.project = keys.project
    OR (members.project IS NULL AND members.organization =
      COALESCE((SELECT projects.organization FROM projects WHERE projects.id = keys.project), '${DEFAULT_ORGANIZATION}')))
    AND (keys.kind <> 'session' OR members.role IN (${MAY_CALL})))`

/**
 * Goes after a change that takes something from a user: keys end with the membership. Sessions on the page of codes end before, because
 * one of them may just be giving an agent its key (`codeRedemption`).
 */
export function keysEnd(userId: string): Statement {
  const sql = `UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms() WHERE user_id = $1 AND ${HAS_NO_ROLE}`
  return { sql, values: [userId] }
}

/**
 * Goes after a project went to another organization: its members come along, and users who had only a role on the former
 * organization lose their keys of the project. Keys of users that have no row here, such as those of imports, stay.
 */
export function membersMove(project: string, organization: string): Statement[] {
  const isUser = 'user_id IN (SELECT id FROM users)'
  return [
    { sql: 'UPDATE members SET organization = $2 WHERE project = $1', values: [project, organization] },
    { sql: 'UPDATE invitations SET organization = $2 WHERE project = $1', values: [project, organization] },
    {
      sql: `UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms() WHERE project = $1 AND ${isUser} AND ${HAS_NO_ROLE}`,
      values: [project],
    },
  ]
}

/** Roles on a project end with it, with their sessions and open invitations. */
export function membersEnd(project: string): Statement[] {
  const sessions = 'DELETE FROM sessions WHERE user_id IN (SELECT user_id FROM members WHERE members.project = $1)'
  const texts = [
    sessions,
    'DELETE FROM members WHERE project = $1',
    'DELETE FROM invitations WHERE project = $1 AND used_at IS NULL',
  ]
  return texts.map((sql) => ({ sql, values: [project] }))
}

const AN_OWNER = `SELECT 1 AS found FROM (${OWNERS}) AS owners WHERE owners.organization = '${DEFAULT_ORGANIZATION}' LIMIT 1`

/** Whether an owner of the installation can sign in. */
export async function hasOwner(db: Database): Promise<boolean> {
  return (await db.query(AN_OWNER)).length > 0
}

/** For the first owner: nothing happens if there is one already. */
export const NO_OWNER: Statement = { sql: `SELECT 1 AS free WHERE NOT EXISTS (${AN_OWNER})`, required: true }

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

type MemberFilter = {
  project?: string | undefined
  user?: string | undefined
  /** What the actor may see. */
  reach?: Reach | undefined
}

/** Newest first. */
export async function listMembers(
  db: Database,
  { limit, cursor, project, user, reach }: { limit: number; cursor?: string | undefined } & MemberFilter,
): Promise<Page<StoredMember>> {
  const values: Value[] = [limit + 1]
  const list = conditions(values)
  if (cursor !== undefined) list.add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (project !== undefined) list.add('project = ?', [project])
  if (user !== undefined) list.add('user_id = ?', [user])
  if (reach) list.add(...isIn(reach, PLACE))
  const sql = `SELECT ${COLUMNS} FROM members ${list.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<StoredMember>(sql, values), limit)
}
