import { HOUR_MS } from '../../../base/units/units.ts'
import type { Database, Statement } from '../database.ts'

// Codes of programs that people let use MCP: from the consent to the tokens.

export type StoredOAuthCode = {
  digest: string
  clientId: string
  clientName: string
  redirectUri: string
  challenge: string
  resource: string
  /** The person who has agreed, with the session on the page. */
  userId: string
  project: string
  sessionId: string
  expiresAt: number
  /** The session that the code was exchanged for. */
  issued: string | null
}

type NewOAuthCode = Omit<StoredOAuthCode, 'issued'> & { createdAt: number }

const COLUMNS = `digest, client_id AS "clientId", client_name AS "clientName", redirect_uri AS "redirectUri", challenge, resource,
  user_id AS "userId", project, session_id AS "sessionId", expires_at AS "expiresAt", issued`
/** A code that is used again is noticed for so long. */
const KEEP_MS = HOUR_MS

/** Old codes go first. */
export function codeInsertion(code: NewOAuthCode): Statement[] {
  const { digest, clientId, clientName, redirectUri, challenge, resource, userId, project, sessionId } = code
  const { createdAt, expiresAt } = code
  return [
    { sql: 'DELETE FROM oauth_codes WHERE expires_at < $1', values: [createdAt - KEEP_MS] },
    {
      sql: `INSERT INTO oauth_codes (digest, client_id, client_name, redirect_uri, challenge, resource, user_id, project, session_id,
          created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      values: [
        ...[digest, clientId, clientName, redirectUri, challenge, resource, userId, project, sessionId],
        ...[createdAt, expiresAt],
      ],
      required: true,
    },
  ]
}

export async function findOAuthCode(db: Database, digest: string): Promise<StoredOAuthCode | undefined> {
  return (await db.query<StoredOAuthCode>(`SELECT ${COLUMNS} FROM oauth_codes WHERE digest = $1`, [digest]))[0]
}

/**
 * A code is used once, and only as long as the session of the person on the page lives. What ends that session meanwhile waits, and then
 * ends the session of the program, too.
 */
export function codeUse(
  { digest, sessionId }: Pick<StoredOAuthCode, 'digest' | 'sessionId'>,
  issued: string,
  now: number,
): Statement[] {
  const hold = `UPDATE sessions SET expires_at = expires_at WHERE id = $1 AND expires_at > $2 AND listener = 'api'`
  const use = 'UPDATE oauth_codes SET issued = $2 WHERE digest = $1 AND issued IS NULL AND expires_at > $3'
  return [
    { sql: hold, values: [sessionId, now], required: true },
    { sql: use, values: [digest, issued, now], required: true },
  ]
}

/** The program that a refresh token belongs to; undefined if there is none, or it is that of a coding agent. */
export async function clientOfRefreshToken(db: Database, digest: string): Promise<string | undefined> {
  const sql = `SELECT agent_sessions.client_id AS "clientId" FROM refresh_tokens
    JOIN agent_sessions ON agent_sessions.id = refresh_tokens.session_id WHERE refresh_tokens.digest = $1`
  return (await db.query<{ clientId: string | null }>(sql, [digest]))[0]?.clientId ?? undefined
}
