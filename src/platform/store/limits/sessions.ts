import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'
import { skipLocked } from '../skip-locked.ts'
import { lockOf } from './leases.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// Windows of limits per session. Such a window begins with the first call of a session, and ends when the session was not used for
// a while. Only the store knows when it began, so that all processes charge the same window. A row is there as long as the session
// is; what it has spent stays in its window.

export type SessionOpening = {
  limit: string
  /** The bucket of the session, and the one that is shared by calls without a session of their own. */
  bucket: string
  shared: string
  key: string
  idleMs: number
  /** How many sessions of the key are counted apart. */
  max: number
}

/** When the window of a session began. Undefined if the key has as many sessions already as are counted apart. */
export async function openSession(db: Database, opening: SessionOpening): Promise<number | undefined> {
  const { limit, bucket, shared, key, idleMs, max } = opening
  const results = await db.transaction([
    // All processes that open a session of this key wait for each other, so that the count is exact.
    lockOf({ limit, bucket: shared, start: 0 }),
    { sql: END_IDLE, values: [limit, key, idleMs] },
    { sql: OPEN, values: [limit, bucket, key, bucket === shared ? 1 : 0, max] },
    { sql: BEGUN, values: [limit, bucket] },
  ])
  const start = results.at(-1)!.rows[0]?.start
  return start === undefined ? undefined : Number(start)
}

const END_IDLE = 'DELETE FROM limit_sessions WHERE limit_id = $1 AND key_id = $2 AND used_at + $3 <= steady_ms()'
const OPEN = `INSERT INTO limit_sessions (limit_id, bucket, key_id, is_shared, window_start, used_at)
  SELECT $1, $2, $3, CAST($4 AS BIGINT), steady_ms(), steady_ms()
  WHERE CAST($4 AS BIGINT) = 1 OR (SELECT COUNT(*) FROM limit_sessions
    WHERE limit_id = $1 AND key_id = $3 AND is_shared = 0 AND bucket <> $2) < CAST($5 AS BIGINT)
  ON CONFLICT (limit_id, bucket) DO UPDATE SET used_at = excluded.used_at`
const BEGUN = 'SELECT window_start AS "start" FROM limit_sessions WHERE limit_id = $1 AND bucket = $2'

type SessionName = { limit: string; bucket: string }

const ROWS_AT_ONCE = 500

/** Sessions that are in use. What another process is opening or using at this moment is left alone: it says the same. */
export async function touchSessions(db: Database, sessions: readonly SessionName[]): Promise<void> {
  for (let from = 0; from < sessions.length; from += ROWS_AT_ONCE) {
    const some = sessions.slice(from, from + ROWS_AT_ONCE)
    const places = some.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(', ')
    const sql = `UPDATE limit_sessions SET used_at = steady_ms() WHERE (limit_id, bucket) IN (
      SELECT limit_id, bucket FROM limit_sessions WHERE (limit_id, bucket) IN (VALUES ${places}) ${skipLocked(db)})`
    await db.query(
      sql,
      some.flatMap(({ limit, bucket }) => [limit, bucket]),
    )
  }
}

/** When the window of a session began, and for how long ago it was used, in milliseconds. */
type KnownSession = SessionName & { start: number; unusedMs: number }

const KNOWN = `SELECT limit_id AS "limit", bucket, window_start AS "start", steady_ms() - used_at AS "unusedMs" FROM limit_sessions`
const MAX_READ = 10_000

/** The sessions of these limits, the latest first, also those that have been idle for too long. */
export async function readSessions(db: Database, limits: readonly string[]): Promise<KnownSession[]> {
  if (limits.length === 0) return []
  const sql = `${KNOWN} WHERE limit_id IN (${numberedPlaceholders(limits)}) ORDER BY used_at DESC LIMIT ${MAX_READ}`
  return (await db.query<KnownSession>(sql, limits)).map(asNumbers)
}

function asNumbers({ limit, bucket, start, unusedMs }: KnownSession): KnownSession {
  return { limit, bucket, start: Number(start), unusedMs: Number(unusedMs) }
}

/** Takes what a session has spent of a limit off its account. False if the limit does not count the session now. */
export async function forgiveSession(db: Database, { limit, bucket }: SessionName): Promise<boolean> {
  const sql = `UPDATE limit_windows SET forgiven = spent WHERE limit_id = $1 AND bucket = $2 AND window_start IN (
    SELECT window_start FROM limit_sessions WHERE limit_id = $1 AND bucket = $2) RETURNING limit_id`
  return (await db.query(sql, [limit, bucket])).length > 0
}

const LONGEST_IDLE_MS = 7 * DAY_MS

/** Removes sessions that no call has used for longer than any limit waits. Returns how many. */
export async function expireSessions(db: Database, limit: number): Promise<number> {
  const old = 'SELECT limit_id, bucket FROM limit_sessions WHERE used_at + $1 <= steady_ms() LIMIT $2'
  const sql = `DELETE FROM limit_sessions WHERE (limit_id, bucket) IN (${old})`
  const [removed] = await db.transaction([{ sql, values: [LONGEST_IDLE_MS, limit] }])
  return removed!.changes
}
