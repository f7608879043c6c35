import type { Database, Statement, Value } from '../database.ts'
import { skipLocked } from '../skip-locked.ts'

// Leases of windows, rates and slots. A process that takes a lease locks the row of its window first, so two never see the same
// amount as free. Ledger lines lock that row too. The column `holder` has the name of the process that took the lease.
//
// A process that gets nothing calls the leases of the others back: they give back at once what no call uses, and for some seconds
// keep nothing that no call uses ("lean"). What they hold then is in use, and no call waits for it.

/** One window of a limit, for one bucket: a key, a user, an end user, or everybody. Rates and slots have one that begins at 0. */
export type WindowKey = { limit: string; bucket: string; start: number }

export type LeaseRequest = WindowKey & {
  processName: string
  /** The amount of the limit. */
  amount: number
  need: number
  want: number
  /** How many processes there are: each gets a part of what is left, so that the last ones are not empty-handed. */
  processCount: number
  /** How long the lease lasts unless it is renewed. */
  forMs: number
  /** For how long after its end it counts as taken, because the process that died may have used it. */
  countsMs: number
  /** What this process gives back before it takes. */
  returned?: number
  /** Calls back what other processes hold and may not use. */
  callsBack?: boolean
  /** For how long this process keeps nothing that no call uses. */
  leanMs?: number
}

export type LeaseGrant = {
  granted: number
  spent: number
  leased: number
  /** What other processes hold and may give back if they are asked. */
  callable: number
  /** What running calls of other processes use, which keep nothing else: it may be given back at any moment. */
  inUse: number
}

/** What is leased of a budget may have been spent: it stays taken until an operator releases it. */
export const COUNTS_FOREVER = 1e15

/** A process that has not answered a call for this long holds what it holds. */
const SILENT_MS = 2_000

const IN_WINDOW = 'limit_id = $1 AND bucket = $2 AND window_start = $3'
const OURS = `${IN_WINDOW} AND holder = $4`
const LEASED = `COALESCE((SELECT CAST(SUM(granted) AS BIGINT) FROM limit_leases
  WHERE ${IN_WINDOW} AND expires_at + counts_ms > steady_ms()), 0)`
const MAY_COME_BACK = `${IN_WINDOW} AND holder <> $4 AND granted > 0 AND expires_at > steady_ms() AND lean_until <= steady_ms()
  AND (called_at IS NULL OR called_at > steady_ms() - ${SILENT_MS})`
const CALLABLE = `COALESCE((SELECT CAST(SUM(granted) AS BIGINT) FROM limit_leases WHERE ${MAY_COME_BACK}), 0)`
const IN_USE = `COALESCE((SELECT CAST(SUM(granted) AS BIGINT) FROM limit_leases
  WHERE ${IN_WINDOW} AND holder <> $4 AND expires_at > steady_ms() AND lean_until > steady_ms()), 0)`

export async function takeLimitLease(db: Database, ask: LeaseRequest): Promise<LeaseGrant> {
  const { returned = 0, leanMs = 0 } = ask
  const key = keyOf(ask)
  const isReturning = returned > 0 || leanMs > 0
  const results = await db.transaction([
    lockOf(ask),
    ...(isReturning ? [{ sql: RETURN, values: [...key, ask.processName, returned, leanMs] }] : []),
    ...takeFrom(WINDOW_SQL.take, ask),
    { sql: WINDOW_SQL.rest, values: [...key, ask.processName] },
  ])
  const { spent, ...sums } = results.at(-1)!.rows[0] as HeldSums & { spent: number }
  return { granted: grantedIn(results), spent: Number(spent), ...heldSums(sums) }
}

export type HeldSums = Pick<LeaseGrant, 'leased' | 'callable' | 'inUse'>

export function heldSums({ leased, callable, inUse }: HeldSums): HeldSums {
  return { leased: Number(leased), callable: Number(callable), inUse: Number(inUse) }
}

/** Creates the row of a window, or locks it. */
export function lockOf(key: WindowKey): Statement {
  return { sql: LOCK, values: keyOf(key) }
}

const LOCK = `INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
  VALUES ($1, $2, $3, 0, 0, 0)
  ON CONFLICT (limit_id, bucket, window_start) DO UPDATE SET changes = limit_windows.changes + 1`

/** A process that keeps nothing idle has answered the processes that called. */
function answered(leanMs: string): string {
  return `called_at = CASE WHEN ${leanMs} > 0 THEN NULL ELSE called_at END,
    lean_until = CASE WHEN ${leanMs} > 0 THEN steady_ms() + ${leanMs} ELSE lean_until END`
}

const RETURN = `UPDATE limit_leases SET granted = CASE WHEN granted > $5 THEN granted - $5 ELSE 0 END,
  ${answered('CAST($6 AS BIGINT)')} WHERE ${OURS}`
/** The process knows exactly what it holds. */
export const KEEP = `UPDATE limit_leases SET granted = $5, ${answered('CAST($6 AS BIGINT)')} WHERE ${OURS}`
const CALL_BACK = `UPDATE limit_leases SET called_at = steady_ms() WHERE ${MAY_COME_BACK} AND called_at IS NULL`

/** Calls back if that is asked for, and takes what there is. */
export function takeFrom(take: string, ask: LeaseRequest): Statement[] {
  const { processName, amount, need, want, processCount, forMs, countsMs, callsBack, leanMs = 0 } = ask
  if (want <= 0) return []
  const key = keyOf(ask)
  const values = [...key, processName, amount, need, want, processCount, forMs, countsMs, leanMs]
  return [...(callsBack ? [{ sql: CALL_BACK, values: [...key, processName] }] : []), { sql: take, values }]
}

/** The texts for a limit of which this much is spent. */
export function leaseSql(spent: string): { take: string; rest: string } {
  return {
    take: takeSql(spent),
    rest: `SELECT ${spent} AS spent, ${LEASED} AS leased, ${CALLABLE} AS callable, ${IN_USE} AS "inUse"
      FROM limit_windows WHERE ${IN_WINDOW}`,
  }
}

/**
 * Half of this process's part of what is left, but never less than the need and never more than it wants. `taken` says what
 * was added just now.
 */
function takeSql(spent: string): string {
  return `INSERT INTO limit_leases (limit_id, bucket, window_start, holder, granted, taken, expires_at, life_ms, counts_ms, lean_until)
  SELECT $1, $2, $3, $4, taken, taken, steady_ms() + CAST($9 AS BIGINT), CAST($9 AS BIGINT), CAST($10 AS BIGINT),
    CASE WHEN CAST($11 AS BIGINT) > 0 THEN steady_ms() + CAST($11 AS BIGINT) ELSE 0 END FROM (
    SELECT CASE WHEN CAST($7 AS BIGINT) <= part THEN CAST($7 AS BIGINT) WHEN part < CAST($6 AS BIGINT) THEN CAST($6 AS BIGINT)
      ELSE part END AS taken
    FROM (
      SELECT room, room / (2 * CAST($8 AS BIGINT)) AS part FROM (
        SELECT CAST($5 AS BIGINT) - ${spent} - ${LEASED} AS room
        FROM limit_windows WHERE ${IN_WINDOW}) AS rooms
      WHERE room >= CAST($6 AS BIGINT) AND room > 0) AS parts) AS grants
  WHERE taken > 0
  ON CONFLICT (limit_id, bucket, window_start, holder) DO UPDATE
    SET granted = CASE WHEN limit_leases.expires_at + limit_leases.counts_ms <= steady_ms() THEN 0 ELSE limit_leases.granted END
      + excluded.granted, taken = excluded.taken, expires_at = excluded.expires_at,
      lean_until = CASE WHEN excluded.lean_until > 0 THEN excluded.lean_until ELSE limit_leases.lean_until END
  RETURNING taken`
}

const WINDOW_SQL = leaseSql('(limit_windows.spent - limit_windows.forgiven)')

/** The statement that takes is the one before the last, if there is one. */
export function grantedIn(results: readonly { rows: readonly Record<string, unknown>[] }[]): number {
  return Number(results.at(-2)!.rows[0]?.taken ?? 0)
}

type LeaseReturn = WindowKey & { processName: string; leanMs?: number }

export async function giveBackLease(db: Database, key: LeaseReturn, amount: number): Promise<void> {
  const values = [...keyOf(key), key.processName]
  await db.transaction([
    { sql: RETURN, values: [...values, amount, key.leanMs ?? 0] },
    { sql: DROP_EMPTY, values },
  ])
}

export const DROP_EMPTY = `DELETE FROM limit_leases WHERE ${OURS} AND granted = 0`

export function keyOf({ limit, bucket, start }: WindowKey): Value[] {
  return [limit, bucket, start]
}

/** The leases of this process that others have called back. */
export async function readCalledBack(db: Database, processName: string): Promise<WindowKey[]> {
  return await db.query<WindowKey>(`${OURS_OF_ALL} AND called_at IS NOT NULL`, [processName])
}

/**
 * Extends all leases of a process, and returns the windows in which it has some. A lease that a ledger line is settling at this
 * moment is left alone, so that neither waits for the other in a circle; the next renewal comes soon enough.
 */
export async function renewLeases(db: Database, processName: string): Promise<WindowKey[]> {
  const [, ours] = await db.transaction([
    {
      sql: `UPDATE limit_leases SET expires_at = steady_ms() + life_ms WHERE holder = $1 AND (limit_id, bucket, window_start)
        IN (SELECT limit_id, bucket, window_start FROM limit_leases WHERE holder = $1 ${skipLocked(db)})`,
      values: [processName],
    },
    { sql: OURS_OF_ALL, values: [processName] },
  ])
  return ours!.rows as WindowKey[]
}

const OURS_OF_ALL = 'SELECT limit_id AS "limit", bucket, window_start AS "start" FROM limit_leases WHERE holder = $1'

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
