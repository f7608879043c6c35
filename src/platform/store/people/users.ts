import { conditions, placeholdersFor } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'
import { type Condition, isIn, PLACE, type Reach } from './reach.ts'

/** A person, or a service account, which cannot sign in and has no e-mail address. */
export type StoredUser = {
  id: string
  organization: string
  email: string | null
  name: string
  kind: 'person' | 'service'
  /** A PHC string. */
  password: string | null
  /** Who a person is at an identity provider. */
  issuer: string | null
  subject: string | null
  disabledAt: number | null
  lastSeenAt: number | null
  createdAt: number
  updatedAt: number
}

export type NewUser = Pick<StoredUser, 'id' | 'organization' | 'email' | 'name' | 'kind' | 'password'> &
  Partial<Pick<StoredUser, 'issuer' | 'subject'>>

/** What can be changed of a user. A member that is absent stays as it is. */
export type UserChanges = Partial<
  Pick<StoredUser, 'name' | 'email' | 'password' | 'issuer' | 'subject' | 'disabledAt' | 'lastSeenAt'>
>

export const USER_COLUMNS = `users.id, users.organization, users.email, users.name, users.kind, users.password, users.issuer,
  users.subject, users.disabled_at AS "disabledAt", users.last_seen_at AS "lastSeenAt", users.created_at AS "createdAt",
  users.updated_at AS "updatedAt"`

/** Changes nothing if there is a user with this e-mail address, or with this subject of this issuer. */
export function userInsertion({ id, organization, email, name, kind, password, issuer, subject }: NewUser): Statement {
  const sql = `INSERT INTO users (id, organization, email, name, kind, password, issuer, subject, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now_ms(), now_ms()) ON CONFLICT DO NOTHING`
  const values = [id, organization, email, name, kind, password, issuer ?? null, subject ?? null]
  return { sql, values, required: true }
}

const COLUMNS: Record<keyof UserChanges, string> = {
  name: 'name',
  email: 'email',
  password: 'password',
  issuer: 'issuer',
  subject: 'subject',
  disabledAt: 'disabled_at',
  lastSeenAt: 'last_seen_at',
}

/** Changes nothing if there is no such user, or if another user has the e-mail address. */
export function userUpdate(id: string, changes: UserChanges): Statement {
  const named = (Object.keys(COLUMNS) as (keyof UserChanges)[]).filter((name) => changes[name] !== undefined)
  const assignments = named.map((name, index) => `${COLUMNS[name]} = $${index + 3}, `)
  const sql = `UPDATE users SET ${assignments.join('')}updated_at = now_ms() WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = $2 AND other.id <> $1)`
  return { sql, values: [id, changes.email ?? '', ...named.map((name) => changes[name]!)], required: true }
}

type Identity = { issuer: string; subject: string }

/** Changes nothing if the account has an identity already, or is disabled. An account belongs to one identity. */
export function userLink(id: string, { issuer, subject }: Identity): Statement {
  const sql = `UPDATE users SET issuer = $2, subject = $3, updated_at = now_ms()
    WHERE id = $1 AND kind = 'person' AND subject IS NULL AND disabled_at IS NULL`
  return { sql, values: [id, issuer, subject], required: true }
}

/**
 * The same without the consent of the person who has used the account so far. Perhaps that is another person, who was invited
 * with this e-mail address and knows the password. So the password and the sessions end.
 */
export function userTakeover(id: string, identity: Identity): Statement[] {
  return [
    userLink(id, identity),
    { sql: 'UPDATE users SET password = NULL WHERE id = $1', values: [id] },
    ...deletionsFrom(['sessions', 'account_links'], id),
  ]
}

/** Everything that a user has: memberships, sessions, tokens, a link. Keys stay, revoked, because usage names them. */
export function userDeletion(id: string): Statement[] {
  return [
    { sql: 'DELETE FROM users WHERE id = $1', values: [id], required: true },
    ...deletionsFrom(['members', 'sessions', 'admin_tokens', 'account_links'], id),
  ]
}

function deletionsFrom(tables: readonly string[], userId: string): Statement[] {
  return tables.map((table) => ({ sql: `DELETE FROM ${table} WHERE user_id = $1`, values: [userId] }))
}

export async function findUser(db: Database, id: string): Promise<StoredUser | undefined> {
  return (await db.query<StoredUser>(`SELECT ${USER_COLUMNS} FROM users WHERE id = $1`, [id]))[0]
}

/** `email` is in lower case. */
export async function findUserByEmail(db: Database, email: string): Promise<StoredUser | undefined> {
  return (await db.query<StoredUser>(`SELECT ${USER_COLUMNS} FROM users WHERE email = $1`, [email]))[0]
}

export async function findUserBySubject(
  db: Database,
  issuer: string,
  subject: string,
): Promise<StoredUser | undefined> {
  const sql = `SELECT ${USER_COLUMNS} FROM users WHERE issuer = $1 AND subject = $2`
  return (await db.query<StoredUser>(sql, [issuer, subject]))[0]
}

/** `reach`: users of these organizations, and members of these projects and organizations. */
type UserFilter = { kind?: StoredUser['kind'] | undefined; reach?: Reach | undefined }

/** Newest first. */
export async function listUsers(
  db: Database,
  { limit, cursor, kind, reach }: { limit: number; cursor?: string | undefined } & UserFilter,
): Promise<Page<StoredUser>> {
  const values: Value[] = [limit + 1]
  const list = conditions(values)
  if (cursor !== undefined) list.add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (kind !== undefined) list.add('kind = ?', [kind])
  if (reach) list.add(...isKnownWithin(reach))
  const sql = `SELECT ${USER_COLUMNS} FROM users ${list.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<StoredUser>(sql, values), limit)
}

function isKnownWithin(reach: Reach): Condition {
  const [within, values] = isIn(reach, PLACE)
  const text = `(users.organization IN (${placeholdersFor(reach.organizations)}) OR id IN (SELECT user_id FROM members WHERE ${within}))`
  return [text, [...reach.organizations, ...values]]
}
