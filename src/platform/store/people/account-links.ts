import type { Database, Statement } from '../database.ts'
import { type StoredUser, USER_COLUMNS } from './users.ts'

/** `digest` is the SHA-256 of the token in the link, `madeBy` the actor of the audit log. */
export type StoredAccountLink = {
  userId: string
  digest: string
  madeBy: string
  createdAt: number
  expiresAt: number
}

/** An account without a way to sign in yet: no password, no identity at a provider. */
const IS_CLOSED = `kind = 'person' AND password IS NULL AND subject IS NULL AND disabled_at IS NULL`

export function isClosed({ kind, password, subject, disabledAt }: StoredUser): boolean {
  return kind === 'person' && password === null && subject === null && disabledAt === null
}

/** A new link replaces the one before. */
export function accountLinkInsertion({ userId, digest, madeBy, createdAt, expiresAt }: StoredAccountLink): Statement[] {
  const sql = `INSERT INTO account_links (user_id, digest, made_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`
  return [
    { sql: 'DELETE FROM account_links WHERE user_id = $1', values: [userId] },
    { sql, values: [userId, digest, madeBy, createdAt, expiresAt], required: true },
  ]
}

/** Finds one that can still be used. */
export async function findAccountLink(
  db: Database,
  digest: string,
  now: number,
): Promise<StoredAccountLink | undefined> {
  const sql = `SELECT user_id AS "userId", digest, made_by AS "madeBy", created_at AS "createdAt", expires_at AS "expiresAt"
    FROM account_links WHERE digest = $1 AND expires_at > $2`
  return (await db.query<StoredAccountLink>(sql, [digest, now]))[0]
}

/** Sets the first password of an account. Of two uses of its link at the same time, one changes nothing. */
export function accountOpening({ userId, digest }: StoredAccountLink, password: string, now: number): Statement[] {
  const use = 'DELETE FROM account_links WHERE user_id = $1 AND digest = $2 AND expires_at > $3'
  const opening = `UPDATE users SET password = $2, updated_at = now_ms() WHERE id = $1 AND ${IS_CLOSED}`
  return [
    { sql: use, values: [userId, digest, now], required: true },
    { sql: opening, values: [userId, password], required: true },
  ]
}

/** People who have no way in yet, oldest first. */
export async function listClosedAccounts(db: Database, limit: number): Promise<StoredUser[]> {
  const sql = `SELECT ${USER_COLUMNS} FROM users WHERE ${IS_CLOSED} ORDER BY created_at, id LIMIT $1`
  return await db.query<StoredUser>(sql, [limit])
}
