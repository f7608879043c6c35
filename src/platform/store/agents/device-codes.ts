import { HOUR_MS } from '../../../base/units/units.ts'
import type { Database, Statement } from '../database.ts'

// What happens between the start of a sign-in in a terminal and its end: a person confirms or denies it in a browser.

export type StoredDeviceCode = {
  digest: string
  /** Where the terminal is, what runs in it, and what it calls its machine. The last two are only claims. */
  ip: string | null
  agent: string | null
  device: string | null
  createdAt: number
  expiresAt: number
  polledAt: number | null
  /** How long the terminal has to wait between two questions. */
  intervalMs: number
  deniedAt: number | null
  /** The session on the page of the person who has confirmed. */
  sessionId: string | null
  userId: string | null
  project: string | null
  redeemedAt: number | null
}

type NewDeviceCode = Pick<
  StoredDeviceCode,
  'digest' | 'ip' | 'agent' | 'device' | 'createdAt' | 'expiresAt' | 'intervalMs'
> & {
  /** The digest of the code that the person types. */
  userCode: string
}

const COLUMNS = `digest, ip, agent, device, created_at AS "createdAt", expires_at AS "expiresAt", polled_at AS "polledAt",
  interval_ms AS "intervalMs", denied_at AS "deniedAt", session_id AS "sessionId", user_id AS "userId", project,
  redeemed_at AS "redeemedAt"`
/** A code whose time is over is still told from one that never was, for a while. */
const KEEP_MS = HOUR_MS

/** Returns false if the code for the person is taken. Old codes go first. */
export async function insertDeviceCode(db: Database, code: NewDeviceCode): Promise<boolean> {
  const { digest, userCode, ip, agent, device, createdAt, expiresAt, intervalMs } = code
  const sql = `INSERT INTO device_codes (digest, user_code, ip, agent, device, created_at, expires_at, interval_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`
  const [, inserted] = await db.transaction([
    { sql: 'DELETE FROM device_codes WHERE expires_at < $1', values: [createdAt - KEEP_MS] },
    { sql, values: [digest, userCode, ip, agent, device, createdAt, expiresAt, intervalMs] },
  ])
  return inserted!.changes > 0
}

export async function findDeviceCode(db: Database, digest: string): Promise<StoredDeviceCode | undefined> {
  return (await db.query<StoredDeviceCode>(`SELECT ${COLUMNS} FROM device_codes WHERE digest = $1`, [digest]))[0]
}

/** A code that waits for a person. */
export async function findUndecided(
  db: Database,
  userCode: string,
  now: number,
): Promise<StoredDeviceCode | undefined> {
  const sql = `SELECT ${COLUMNS} FROM device_codes WHERE user_code = $1 AND expires_at > $2 AND ${UNDECIDED}`
  return (await db.query<StoredDeviceCode>(sql, [userCode, now]))[0]
}

const UNDECIDED = 'session_id IS NULL AND denied_at IS NULL'

/** Notes that the terminal has asked, and how long it has to wait from now on. Of requests at the same time one is noted. */
export async function notePoll(
  db: Database,
  { digest, intervalMs: before }: Pick<StoredDeviceCode, 'digest' | 'intervalMs'>,
  at: number,
  intervalMs: number,
): Promise<void> {
  const sql = `UPDATE device_codes SET polled_at = $2, interval_ms = $3
    WHERE digest = $1 AND interval_ms = $4 AND (polled_at IS NULL OR polled_at < $2)`
  await db.query(sql, [digest, at, intervalMs, before])
}

/** Changes nothing if a person has decided meanwhile, or the time is over. */
export function codeConfirmation(
  digest: string,
  { sessionId, userId, project }: { sessionId: string; userId: string; project: string },
  now: number,
): Statement {
  const sql = `UPDATE device_codes SET session_id = $2, user_id = $3, project = $4
    WHERE digest = $1 AND expires_at > $5 AND ${UNDECIDED}`
  return { sql, values: [digest, sessionId, userId, project, now], required: true }
}

export function codeDenial(digest: string, now: number): Statement {
  const sql = `UPDATE device_codes SET denied_at = $2 WHERE digest = $1 AND expires_at > $2 AND ${UNDECIDED}`
  return { sql, values: [digest, now], required: true }
}

/**
 * A confirmed code is redeemed once, and only as long as the session of the person on the page lives: it ends when the person signs
 * out, is disabled, or has other rights. What ends that session meanwhile waits, and then ends the session of the agent, too.
 */
export function codeRedemption({ digest, sessionId }: { digest: string; sessionId: string }, now: number): Statement[] {
  const hold = `UPDATE sessions SET expires_at = expires_at WHERE id = $1 AND expires_at > $2 AND listener = 'api'`
  const sql = `UPDATE device_codes SET redeemed_at = $2
    WHERE digest = $1 AND session_id = $3 AND expires_at > $2 AND redeemed_at IS NULL AND denied_at IS NULL`
  return [
    { sql: hold, values: [sessionId, now], required: true },
    { sql, values: [digest, now, sessionId], required: true },
  ]
}

/** For a person who has confirmed and may not any more. */
export function codeRefusal(digest: string, now: number): Statement {
  const sql = 'UPDATE device_codes SET denied_at = $2 WHERE digest = $1 AND redeemed_at IS NULL AND denied_at IS NULL'
  return { sql, values: [digest, now], required: true }
}
