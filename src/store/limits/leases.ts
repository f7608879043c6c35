import type { Database, Value } from '../database.ts'
import { skipLocked } from '../skip-locked.ts'

// Leases of windows and slots. Whoever takes a lease locks the row of its window first, so two processes never see the same
// amount as free. Ledger lines lock that row too. The column `holder` has the name of the process that took the lease.

/** One window of a limit, for one bucket: a key, a user, an end user, or everybody. */
export type WindowKey = { limit: string; bucket: string; start: number }

export type LeaseAsk = WindowKey & {
  processName: string
  /** The amount of the limit. */
  amount: number
  need: number
  want: number
  /** How many processes there are: each gets a part of what is left, so that the last ones are not empty-handed. */
  processCount: number
  forMs: number
  /** What a process that died held is free again. Otherwise it may have been spent, and stays taken. */
  expires: boolean
}

export type LeaseAnswer = { granted: number; spent: number; leased: number }

export async function takeLimitLease(db: Database, ask: LeaseAsk): Promise<LeaseAnswer> {
  const { limit, bucket, start, processName, amount, need, want, processCount, forMs, expires } = ask
  const key: Value[] = [limit, bucket, start]
  const [, taken, rest] = await db.transaction([
    { sql: LOCK, values: key },
    { sql: TAKE, values: [...key, processName, amount, need, want, processCount, forMs, expires ? 1 : 0] },
    { sql: REST, values: [...key, expires ? 1 : 0] },
  ])
  const granted = Number((taken!.rows[0] as { taken?: number } | undefined)?.taken ?? 0)
  const { spent, leased } = rest!.rows[0] as { spent: number; leased: number }
  return { granted, spent: Number(spent), leased: Number(leased) }
}

/** Creates the row of a window, or locks it. */
const LOCK = `INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
  VALUES ($1, $2, $3, 0, 0, 0)
  ON CONFLICT (limit_id, bucket, window_start) DO UPDATE SET changes = limit_windows.changes + 1`

const IN_WINDOW = 'limit_id = $1 AND bucket = $2 AND window_start = $3'

function leasedSql(expires: string): string {
  return `COALESCE((SELECT CAST(SUM(granted) AS BIGINT) FROM limit_leases
    WHERE ${IN_WINDOW} AND (${expires} = 0 OR expires_at > steady_ms())), 0)`
}

/**
 * Half of this process's part of what is left, but never less than the need and never more than it wants. `taken` says what
 * was added just now.
 */
const TAKE = `INSERT INTO limit_leases (limit_id, bucket, window_start, holder, granted, taken, expires_at)
  SELECT $1, $2, $3, $4, taken, taken, steady_ms() + CAST($9 AS BIGINT) FROM (
    SELECT CASE WHEN CAST($7 AS BIGINT) <= part THEN CAST($7 AS BIGINT) WHEN part < CAST($6 AS BIGINT) THEN CAST($6 AS BIGINT)
      ELSE part END AS taken
    FROM (
      SELECT room, room / (2 * CAST($8 AS BIGINT)) AS part FROM (
        SELECT CAST($5 AS BIGINT) - spent + forgiven - ${leasedSql('CAST($10 AS BIGINT)')} AS room
        FROM limit_windows WHERE ${IN_WINDOW}) AS rooms
      WHERE room >= CAST($6 AS BIGINT)) AS parts) AS grants
  WHERE true
  ON CONFLICT (limit_id, bucket, window_start, holder) DO UPDATE
    SET granted = CASE WHEN CAST($10 AS BIGINT) = 1 AND limit_leases.expires_at <= steady_ms() THEN 0 ELSE limit_leases.granted END
      + excluded.granted, taken = excluded.taken, expires_at = excluded.expires_at
  RETURNING taken`

const REST = `SELECT spent - forgiven AS spent, ${leasedSql('CAST($4 AS BIGINT)')} AS leased
  FROM limit_windows WHERE ${IN_WINDOW}`

export async function giveBackLease(
  db: Database,
  key: WindowKey & { processName: string },
  amount: number,
): Promise<void> {
  const values: Value[] = [key.limit, key.bucket, key.start, key.processName]
  const ours = `${IN_WINDOW} AND holder = $4`
  await db.transaction([
    {
      sql: `UPDATE limit_leases SET granted = CASE WHEN granted > $5 THEN granted - $5 ELSE 0 END WHERE ${ours}`,
      values: [...values, amount],
    },
    { sql: `DELETE FROM limit_leases WHERE ${ours} AND granted = 0`, values },
  ])
}

/**
 * Extends all leases of a process, and returns the windows in which it has some. A lease that a ledger line is settling at this
 * moment is left alone, so that neither waits for the other in a circle; the next renewal comes soon enough.
 */
export async function renewLeases(db: Database, processName: string, forMs: number): Promise<WindowKey[]> {
  const [, ours] = await db.transaction([
    {
      sql: `UPDATE limit_leases SET expires_at = steady_ms() + CAST($2 AS BIGINT) WHERE holder = $1 AND (limit_id, bucket, window_start)
        IN (SELECT limit_id, bucket, window_start FROM limit_leases WHERE holder = $1 ${skipLocked(db)})`,
      values: [processName, forMs],
    },
    { sql: OURS, values: [processName] },
  ])
  return ours!.rows as WindowKey[]
}

const OURS = 'SELECT limit_id AS "limit", bucket, window_start AS "start" FROM limit_leases WHERE holder = $1'

/** A process that ends has no calls left, and all of its lines are in the ledger: it holds nothing. */
export async function endLeases(db: Database, processName: string): Promise<void> {
  await db.query('DELETE FROM limit_leases WHERE holder = $1', [processName])
}

/** Frees what processes held that have not been heard of since their leases ended. Returns how much. */
export async function releaseLost(db: Database, limit: string): Promise<number> {
  const sql = 'DELETE FROM limit_leases WHERE limit_id = $1 AND expires_at <= steady_ms() RETURNING granted'
  const [released] = await db.transaction([{ sql, values: [limit], required: true }])
  return released!.rows.reduce((sum, { granted }) => sum + Number(granted), 0)
}
