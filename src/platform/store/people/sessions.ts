import type { Database, Statement } from '../database.ts'
import type { StoredMember } from './members.ts'
import { type StoredUser, USER_COLUMNS } from './users.ts'

export type Listener = 'admin' | 'api'

/** `expiresAt` is the end in any case, `idleAt` the end if it is not used before. */
export type StoredSession = {
  id: string
  userId: string
  createdAt: number
  expiresAt: number
  idleAt: number
  ip: string | null
  agent: string | null
  /** How the person signed in: `password`, `sso`. */
  via: string
  /** The listener that the session is valid on. The one of the API has only the page for the codes of coding agents. */
  listener: Listener
}

/** `digest` is the SHA-256 of the token in the cookie. */
type NewSession = StoredSession & { digest: string }

const COLUMNS = `sessions.id, sessions.user_id AS "userId", sessions.created_at AS "createdAt",
  sessions.expires_at AS "expiresAt", sessions.idle_at AS "idleAt", sessions.ip, sessions.agent, sessions.via, sessions.listener`
/** A person's sessions; older ones end. */
const MAX_SESSIONS = 20

export function sessionInsertion(session: NewSession): Statement[] {
  const { id, digest, userId, createdAt, expiresAt, idleAt, ip, agent, via, listener } = session
  const sql = `INSERT INTO sessions (id, digest, user_id, created_at, expires_at, idle_at, ip, agent, via, listener)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
  const oldest = `DELETE FROM sessions WHERE user_id = $1 AND id NOT IN (
    SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${MAX_SESSIONS})`
  return [
    { sql: 'DELETE FROM sessions WHERE expires_at <= $1 OR idle_at <= $1', values: [createdAt] },
    { sql, values: [id, digest, userId, createdAt, expiresAt, idleAt, ip, agent, via, listener], required: true },
    { sql: oldest, values: [userId] },
  ]
}

type SessionHolder = { session: StoredSession; user: StoredUser; memberships: StoredMember[] }

/** The session with its user, who is not disabled, as they are in the store now: a session that ended anywhere has ended here. */
export async function findSession(
  db: Database,
  { digest, listener }: { digest: string; listener: Listener },
  now: number,
): Promise<SessionHolder | undefined> {
  const live = `sessions.digest = $1 AND sessions.expires_at > $2 AND sessions.idle_at > $2 AND sessions.listener = '${listener}'`
  const ofUser = `FROM sessions JOIN users ON users.id = sessions.user_id AND users.disabled_at IS NULL WHERE ${live}`
  const members = `SELECT members.id, members.organization, members.project, members.user_id AS "userId", members.role,
    members.source, members.created_at AS "createdAt", members.updated_at AS "updatedAt"
    FROM sessions JOIN members ON members.user_id = sessions.user_id WHERE ${live}`
  const values = [digest, now]
  const [session, user, memberships] = await db.transaction([
    { sql: `SELECT ${COLUMNS} ${ofUser}`, values },
    { sql: `SELECT ${USER_COLUMNS} ${ofUser}`, values },
    { sql: members, values },
  ])
  if (!session?.rows[0] || !user?.rows[0]) return undefined
  return {
    session: session.rows[0] as StoredSession,
    user: user.rows[0] as StoredUser,
    memberships: (memberships?.rows ?? []) as StoredMember[],
  }
}

/** Moves the end of an idle session forward, never back. */
export async function keepSession(db: Database, id: string, idleAt: number): Promise<void> {
  await db.query('UPDATE sessions SET idle_at = $2 WHERE id = $1 AND idle_at < $2', [id, idleAt])
}

/** Newest first. There are few. */
export function listSessions(db: Database, userId: string, now: number): Promise<StoredSession[]> {
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE user_id = $1 AND expires_at > $2 AND idle_at > $2
    ORDER BY created_at DESC, id DESC`
  return db.query<StoredSession>(sql, [userId, now])
}

export function sessionEnd(id: string, userId: string): Statement {
  return { sql: 'DELETE FROM sessions WHERE id = $1 AND user_id = $2', values: [id, userId], required: true }
}

/** All sessions of a user, for example because the rights of the user have changed. */
export function sessionsEnd(userId: string): Statement {
  return { sql: 'DELETE FROM sessions WHERE user_id = $1', values: [userId] }
}
