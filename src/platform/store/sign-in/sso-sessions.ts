import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Statement } from '../database.ts'
import { REVOKE_AGENTS } from '../agents/agent-sessions.ts'
import { DEFAULT_ORGANIZATION } from '../people/reach.ts'

/** The session at an identity provider behind one of ours. `sid` is the provider's name for it, if it has one. */
type SsoSession = { sessionId: string; issuer: string; subject: string; sid: string | null }

/** Comes before the session itself is inserted. Rows of sessions that have ended go. */
export function ssoSessionInsertion({ sessionId, issuer, subject, sid }: SsoSession): Statement[] {
  return [
    { sql: ENDED },
    {
      sql: 'INSERT INTO sso_sessions (session_id, issuer, subject, sid) VALUES ($1, $2, $3, $4)',
      values: [sessionId, issuer, subject, sid],
    },
  ]
}

const ENDED = `DELETE FROM sso_sessions WHERE session_id NOT IN (SELECT id FROM sessions)
  AND session_id NOT IN (SELECT id FROM agent_sessions)`

/** The session of a coding agent belongs to the same session at the provider as that of the page on which it was confirmed. */
export function ssoSessionCopy(from: string, to: string): Statement {
  const sql = `INSERT INTO sso_sessions (session_id, issuer, subject, sid)
    SELECT CAST($2 AS TEXT), issuer, subject, sid FROM sso_sessions WHERE session_id = $1`
  return { sql, values: [from, to] }
}

/** The provider behind a session; undefined for one that a password has opened. */
export async function issuerOfSession(db: Database, session: string): Promise<string | undefined> {
  const sql = 'SELECT issuer FROM sso_sessions WHERE session_id = $1'
  const [row] = await db.query<{ issuer: string }>(sql, [session])
  return row?.issuer
}

/** Which sessions a provider ends: one of them, or all of a person. */
type EndedAtIssuer = { issuer: string; sid: string | undefined; subject: string | undefined }

export function ssoSessionsEnd({ issuer, sid, subject }: EndedAtIssuer): Statement[] {
  const ended = `SELECT session_id FROM sso_sessions
    WHERE issuer = $1 AND ($2 = '' OR sid = $2) AND ($3 = '' OR subject = $3)`
  const values = [issuer, sid ?? '', subject ?? '']
  return [
    { sql: `DELETE FROM sessions WHERE id IN (${ended})`, values },
    { sql: `${REVOKE_AGENTS} AND id IN (${ended})`, values },
  ]
}

/**
 * Whether an owner has signed in with one of these providers: an identity gets into the table of users only by a sign-in. Only
 * then may passwords be switched off.
 */
export async function hasSsoOwner(db: Database, issuers: readonly string[]): Promise<boolean> {
  const places = numberedPlaceholders(issuers)
  const sql = `SELECT 1 AS found FROM members JOIN users ON users.id = members.user_id
    WHERE members.role = 'owner' AND members.project IS NULL AND members.organization = '${DEFAULT_ORGANIZATION}' AND users.kind = 'person' AND users.disabled_at IS NULL
      AND users.subject IS NOT NULL AND users.issuer IN (${places}) LIMIT 1`
  return (await db.query(sql, issuers)).length > 0
}
