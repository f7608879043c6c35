import type { Database, Statement } from '../database.ts'
import { MAY_CALL } from '../people/members.ts'
import { holdProject } from '../projects/projects.ts'

// Sessions of coding agents. The key of a session is its access token; each renewal gives the key another secret, as a rotation does.

type StoredAgentSession = {
  /** Also that of its key. */
  id: string
  userId: string
  project: string
  via: string
  ip: string | null
  agent: string | null
  device: string | null
  createdAt: number
  /** The end, if it is not renewed before. */
  expiresAt: number
}

/** A secret of a session: its digest, its last characters, its end. */
export type AccessSecret = { digest: string; last4: string; expiresAt: number }
export type RefreshSecret = { digest: string; expiresAt: number }

type NewAgentSession = StoredAgentSession & {
  name: string
  region: string
  /** Of a program that uses MCP. */
  clientId?: string
  scopes?: readonly string[]
}

const COLUMNS = `agent_sessions.id, agent_sessions.user_id AS "userId", agent_sessions.project, agent_sessions.via, agent_sessions.ip,
  agent_sessions.agent, agent_sessions.device, agent_sessions.created_at AS "createdAt", agent_sessions.expires_at AS "expiresAt"`
/** A person's sessions; those that were opened first end. */
const MAX_SESSIONS = 50
/** Of a session: a token that was used longer ago is not told from one that never was. */
const MAX_USED_TOKENS = 200

/** The beginning of a statement that ends sessions; the condition says which. Processes hear of it as of every revoked key. */
export const REVOKE_AGENTS =
  "UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms() WHERE kind = 'session' AND revoked_at IS NULL"

/** Finds nothing to insert if the user is disabled, has no role there with which models are called, or the project was deleted. */
export function agentSessionInsertion(
  session: NewAgentSession,
  access: AccessSecret,
  refresh: RefreshSecret,
): Statement[] {
  const { id, name, userId, project, region, via, ip, agent, device, createdAt, expiresAt } = session
  const { clientId = null, scopes } = session
  return [
    { sql: 'DELETE FROM agent_sessions WHERE expires_at <= $1', values: [createdAt] },
    holdProject(project),
    {
      sql: `INSERT INTO keys (id, digest, name, kind, owner_kind, owner_id, region, last4, expires_at, project, user_id, scopes,
         created_at, updated_at)
       SELECT $1, $2, $3, 'session', CASE share WHEN 'key' THEN 'person' ELSE 'project' END,
         CASE share WHEN 'key' THEN users.id ELSE projects.id END, $4, $5, CAST($6 AS BIGINT), projects.id, users.id,
         CAST($9 AS TEXT), now_ms(), now_ms()
       FROM projects, users WHERE projects.id = $7 AND projects.deleted_at IS NULL
         AND users.id = $8 AND users.disabled_at IS NULL AND users.kind = 'person' AND EXISTS (${ROLE_THERE})`,
      values: [
        id,
        access.digest,
        name,
        region,
        access.last4,
        access.expiresAt,
        project,
        userId,
        scopes ? JSON.stringify(scopes) : null,
      ],
      required: true,
    },
    {
      sql: `INSERT INTO agent_sessions (id, user_id, project, via, ip, agent, device, created_at, expires_at, client_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      values: [id, userId, project, via, ip, agent, device, createdAt, expiresAt, clientId],
    },
    refreshInsertion(id, refresh, createdAt),
    {
      sql: `${REVOKE_AGENTS} AND user_id = $1 AND id NOT IN (SELECT id FROM agent_sessions WHERE user_id = $1
        ORDER BY created_at DESC, id DESC LIMIT ${MAX_SESSIONS})`,
      values: [userId],
    },
  ]
}

const ROLE_THERE = `SELECT 1 FROM members WHERE members.user_id = users.id AND members.role IN (${MAY_CALL})
  AND (members.project = projects.id OR (members.project IS NULL AND members.organization = projects.organization))`

function refreshInsertion(sessionId: string, { digest, expiresAt }: RefreshSecret, at: number): Statement {
  const sql = 'INSERT INTO refresh_tokens (digest, session_id, created_at, expires_at) VALUES ($1, $2, $3, $4)'
  return { sql, values: [digest, sessionId, at, expiresAt] }
}

export type StoredRefreshToken = {
  sessionId: string
  expiresAt: number
  usedAt: number | null
  successor: string | null
  userId: string
  /** When the session began. */
  begunAt: number
  /** Whether the session has ended. */
  isOver: boolean
}

/** Undefined also if the session is gone. */
export async function findRefreshToken(db: Database, digest: string): Promise<StoredRefreshToken | undefined> {
  const sql = `SELECT refresh_tokens.session_id AS "sessionId", refresh_tokens.expires_at AS "expiresAt",
      refresh_tokens.used_at AS "usedAt", refresh_tokens.successor, keys.user_id AS "userId", keys.revoked_at AS "revokedAt",
      agent_sessions.created_at AS "begunAt"
    FROM refresh_tokens JOIN keys ON keys.id = refresh_tokens.session_id
      JOIN agent_sessions ON agent_sessions.id = refresh_tokens.session_id WHERE refresh_tokens.digest = $1`
  const [row] = await db.query<StoredRefreshToken & { revokedAt: number | null }>(sql, [digest])
  if (!row) return undefined
  const { revokedAt, ...token } = row
  return { ...token, isOver: revokedAt !== null }
}

type Renewal = {
  sessionId: string
  /** The digest of the token that is used up. */
  used: string
  access: AccessSecret
  refresh: RefreshSecret
  successor: string
  now: number
  /** How long the access token before it stays valid: another terminal may be using it. */
  overlapMs: number
  /** How long the successor of a used token is kept. */
  graceMs: number
  /** How long an access token is valid at most. */
  lifeMs: number
}

/** Changes nothing if the token was used meanwhile, or the session has ended. */
export async function renewSession(db: Database, renewal: Renewal): Promise<boolean> {
  const { sessionId, used, access, refresh, successor, now, overlapMs, graceMs, lifeMs } = renewal
  const statements: Statement[] = [
    {
      sql: 'UPDATE refresh_tokens SET used_at = $2, successor = $3 WHERE digest = $1 AND used_at IS NULL AND expires_at > $2',
      values: [used, now, successor],
      required: true,
    },
    // Pairs that no terminal gets any more.
    {
      sql: 'UPDATE refresh_tokens SET successor = NULL WHERE session_id = $1 AND used_at < $2',
      values: [sessionId, now - graceMs],
    },
    { sql: FORGET_USED, values: [sessionId] },
    { sql: 'DELETE FROM refresh_tokens WHERE expires_at <= $1', values: [now] },
    refreshInsertion(sessionId, refresh, now),
    // A process that was away and knows a former token has to hear of its new end, until the token would have ended by itself.
    { sql: 'DELETE FROM former_secrets WHERE key_id = $1 AND valid_until < $2', values: [sessionId, now - lifeMs] },
    {
      sql: `INSERT INTO former_secrets (digest, key_id, valid_until)
        SELECT digest, id, CASE WHEN expires_at < CAST($2 AS BIGINT) THEN expires_at ELSE CAST($2 AS BIGINT) END
        FROM keys WHERE id = $1 AND revoked_at IS NULL`,
      values: [sessionId, now + overlapMs],
    },
    {
      sql: `UPDATE keys SET digest = $2, last4 = $3, expires_at = $4, updated_at = now_ms() WHERE id = $1 AND revoked_at IS NULL`,
      values: [sessionId, access.digest, access.last4, access.expiresAt],
      required: true,
    },
    {
      sql: 'UPDATE agent_sessions SET expires_at = $2 WHERE id = $1',
      values: [sessionId, refresh.expiresAt],
      required: true,
    },
  ]
  const results = await db.transaction(statements)
  return results.length === statements.length && results.at(-1)!.changes > 0
}

const FORGET_USED = `DELETE FROM refresh_tokens WHERE session_id = $1 AND used_at IS NOT NULL AND digest NOT IN (
  SELECT digest FROM refresh_tokens WHERE session_id = $1 ORDER BY created_at DESC, digest LIMIT ${MAX_USED_TOKENS})`

export function agentSessionEnd(id: string): Statement {
  return { sql: `${REVOKE_AGENTS} AND id = $1`, values: [id], required: true }
}

export function ownAgentSessionEnd(id: string, userId: string): Statement {
  return { sql: `${REVOKE_AGENTS} AND id = $1 AND user_id = $2`, values: [id, userId], required: true }
}

/** All of a user. */
export function agentSessionsEnd(userId: string): Statement {
  return { sql: `${REVOKE_AGENTS} AND user_id = $1`, values: [userId] }
}

/** The session that an access token or a refresh token belongs to, and its user. */
export async function findSessionOf(db: Database, digest: string): Promise<{ id: string; userId: string } | undefined> {
  const sql = `SELECT id, user_id AS "userId" FROM keys WHERE kind = 'session' AND revoked_at IS NULL AND (digest = $1
    OR id IN (SELECT key_id FROM former_secrets WHERE digest = $1)
    OR id IN (SELECT session_id FROM refresh_tokens WHERE digest = $1))`
  return (await db.query<{ id: string; userId: string }>(sql, [digest]))[0]
}

/** Those that have not ended, newest first. There are few. */
export function listAgentSessions(db: Database, userId: string, now: number): Promise<StoredAgentSession[]> {
  const sql = `SELECT ${COLUMNS} FROM agent_sessions JOIN keys ON keys.id = agent_sessions.id AND keys.revoked_at IS NULL
    WHERE agent_sessions.user_id = $1 AND agent_sessions.expires_at > $2
    ORDER BY agent_sessions.created_at DESC, agent_sessions.id DESC`
  return db.query<StoredAgentSession>(sql, [userId, now])
}
