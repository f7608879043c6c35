import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'

/** What is known of one window of a limit. */
export type WindowSum = {
  limit: string
  bucket: string
  start: number
  /** Settled, less what was forgiven. */
  spent: number
  /** Held by processes that live, and by processes that have died with it. */
  leased: number
  lost: number
  /** The part of what is leased that its processes may not need: no other process has asked them for it. */
  callable: number
}

const MAX_WINDOWS = 10_000
const LEASED = `(SELECT CAST(SUM(granted) AS BIGINT) FROM limit_leases WHERE limit_leases.limit_id = limit_windows.limit_id
  AND limit_leases.bucket = limit_windows.bucket AND limit_leases.window_start = limit_windows.window_start`

/** The windows of these limits that began at this moment or later, the newest first. */
export async function readWindows(db: Database, limits: readonly string[], since: number): Promise<WindowSum[]> {
  if (limits.length === 0) return []
  const places = numberedPlaceholders(limits, 2)
  const sql = `SELECT limit_id AS "limit", bucket, window_start AS "start", spent - forgiven AS spent,
      COALESCE(${LEASED} AND expires_at > steady_ms()), 0) AS leased,
      COALESCE(${LEASED} AND expires_at <= steady_ms()), 0) AS lost,
      COALESCE(${LEASED} AND expires_at > steady_ms() AND lean_until <= steady_ms()), 0) AS callable
    FROM limit_windows WHERE window_start >= $1 AND limit_id IN (${places})
    ORDER BY window_start DESC, spent DESC LIMIT ${MAX_WINDOWS}`
  const rows = await db.query<WindowSum>(sql, [since, ...limits])
  return rows.map(({ limit, bucket, start, ...sums }) => {
    const [spent, leased, lost, callable] = [sums.spent, sums.leased, sums.lost, sums.callable].map(Number)
    return { limit, bucket, start, spent: spent!, leased: leased!, lost: lost!, callable: callable! }
  })
}

/** Takes what was spent of the windows that are open now off their account. The ledger keeps it. */
export async function forgiveSpent(db: Database, { limit, since }: { limit: string; since: number }): Promise<void> {
  const sql = 'UPDATE limit_windows SET forgiven = spent WHERE limit_id = $1 AND window_start >= $2 RETURNING limit_id'
  await db.query(sql, [limit, since])
}

type SpentWindow = { limit: string; start: number; spent: number }

/** Counts a window of a limit as if this had been spent, by forgiving what was; less than nothing is forgiven where more counts. */
export async function setSpent(db: Database, { limit, start, spent }: SpentWindow): Promise<void> {
  const sql = `INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
    VALUES ($1, '', CAST($2 AS BIGINT), 0, CAST($3 AS BIGINT), 0)
    ON CONFLICT (limit_id, bucket, window_start) DO UPDATE SET forgiven = limit_windows.spent + excluded.forgiven
    RETURNING limit_id`
  await db.query(sql, [limit, start, -spent])
}

/** The sum of the charges of all ledger lines, for each window that has charges since this moment. */
export async function chargedWindows(db: Database, since: number): Promise<(WindowSum & { charged: number })[]> {
  const charge =
    db.kind === 'postgres'
      ? `SELECT charge->>0 AS limit_id, charge->>1 AS bucket, CAST(charge->>2 AS BIGINT) AS window_start,
          CAST(charge->>3 AS BIGINT) AS amount FROM usage, json_array_elements(CAST(usage.charges AS JSON)) AS charge`
      : `SELECT json_extract(charge.value, '$[0]') AS limit_id, json_extract(charge.value, '$[1]') AS bucket,
          json_extract(charge.value, '$[2]') AS window_start, json_extract(charge.value, '$[3]') AS amount
          FROM usage, json_each(usage.charges) AS charge`
  const sql = `SELECT limit_id AS "limit", bucket, window_start AS "start", CAST(MAX(spent) AS BIGINT) AS spent,
      CAST(SUM(amount) AS BIGINT) AS charged, 0 AS leased, 0 AS lost, 0 AS callable
    FROM (
      SELECT limit_id, bucket, window_start, amount, 0 AS spent FROM (${charge} WHERE usage.charges IS NOT NULL) AS charges
      UNION ALL SELECT limit_id, bucket, window_start, 0, spent FROM limit_windows
    ) AS both_sides WHERE window_start >= $1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
  const rows = await db.report<WindowSum & { charged: number }>(sql, [since])
  return rows.map((row) => ({ ...row, spent: Number(row.spent), charged: Number(row.charged) }))
}
