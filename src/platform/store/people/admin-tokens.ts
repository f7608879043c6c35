import type { ManagementScope } from '../../../contract/admin/people.ts'
import type { Database, Statement } from '../database.ts'
import type { StoredMember } from './members.ts'
import { type StoredUser, USER_COLUMNS } from './users.ts'

/** A secret of a service account: for the admin listener or, with scopes, a management key for `/v3/manage`. */
export type StoredToken = {
  id: string
  userId: string
  name: string
  scopes: ManagementScope[] | null
  last4: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** `digest` is the SHA-256 of the token. */
type NewToken = Pick<StoredToken, 'id' | 'userId' | 'name' | 'scopes' | 'last4' | 'expiresAt'> & { digest: string }

type TokenRow = Omit<StoredToken, 'scopes'> & { scopes: string | null }

const COLUMNS = `admin_tokens.id, admin_tokens.user_id AS "userId", admin_tokens.name, admin_tokens.scopes, admin_tokens.last4,
  admin_tokens.created_at AS "createdAt", admin_tokens.expires_at AS "expiresAt", admin_tokens.revoked_at AS "revokedAt",
  admin_tokens.last_used_at AS "lastUsedAt"`
/** Enough for years of rotation. */
const MAX_TOKENS = 100

/** Changes nothing if the account does not exist, is no service account, or has too many tokens. */
export function tokenInsertion({ id, digest, userId, name, scopes, last4, expiresAt }: NewToken): Statement {
  const sql = `INSERT INTO admin_tokens (id, digest, user_id, name, last4, expires_at, scopes, created_at)
    SELECT $1, $2, $3, $4, $5, CAST($6 AS BIGINT), $7, now_ms()
    WHERE EXISTS (SELECT 1 FROM users WHERE id = $3 AND kind = 'service')
      AND (SELECT COUNT(*) FROM admin_tokens WHERE user_id = $3 AND revoked_at IS NULL) < ${MAX_TOKENS}`
  return { sql, values: [id, digest, userId, name, last4, expiresAt, scopes?.join(' ') ?? null], required: true }
}

type TokenHolder = { token: StoredToken; user: StoredUser; memberships: StoredMember[] }

/** A token that is valid now, with its account, which is not disabled. */
export async function findToken(db: Database, digest: string, now: number): Promise<TokenHolder | undefined> {
  const live = `admin_tokens.digest = $1 AND admin_tokens.revoked_at IS NULL
    AND (admin_tokens.expires_at IS NULL OR admin_tokens.expires_at > $2)`
  const ofUser = `FROM admin_tokens JOIN users ON users.id = admin_tokens.user_id AND users.disabled_at IS NULL WHERE ${live}`
  const members = `SELECT members.id, members.organization, members.project, members.user_id AS "userId", members.role,
    members.source, members.created_at AS "createdAt", members.updated_at AS "updatedAt"
    FROM admin_tokens JOIN members ON members.user_id = admin_tokens.user_id WHERE ${live}`
  const values = [digest, now]
  const [token, user, memberships] = await db.transaction([
    { sql: `SELECT ${COLUMNS} ${ofUser}`, values },
    { sql: `SELECT ${USER_COLUMNS} ${ofUser}`, values },
    { sql: members, values },
  ])
  if (!token?.rows[0] || !user?.rows[0]) return undefined
  return {
    token: toToken(token.rows[0] as TokenRow),
    user: user.rows[0] as StoredUser,
    memberships: (memberships?.rows ?? []) as StoredMember[],
  }
}

/** Noted once a minute at most. */
export async function touchToken(db: Database, id: string, now: number): Promise<void> {
  const sql = `UPDATE admin_tokens SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < CAST($2 AS BIGINT) - 60000)`
  await db.query(sql, [id, now])
}

/** Newest first. There are few. */
export async function listTokens(db: Database, userId: string): Promise<StoredToken[]> {
  const sql = `SELECT ${COLUMNS} FROM admin_tokens WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1000`
  return (await db.query<TokenRow>(sql, [userId])).map(toToken)
}

function toToken({ scopes, ...token }: TokenRow): StoredToken {
  return { ...token, scopes: scopes === null ? null : (scopes.split(' ') as ManagementScope[]) }
}

export function tokenRevocation(id: string, userId: string): Statement {
  const sql = 'UPDATE admin_tokens SET revoked_at = now_ms() WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL'
  return { sql, values: [id, userId], required: true }
}
