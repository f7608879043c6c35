import type { Database } from '../database.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// Windows of limits are removed some time after their lines. What is removed says nothing about the present: the windows have
// ended, and the uses of rates no longer count.

/** Months are the longest windows that end. */
const LONGEST_WINDOW_MS = 32 * DAY_MS
const KEY = '(limit_id, bucket, window_start)'

/**
 * Removes a batch of windows that ended before this moment, with what dead processes held of them, and unused slots. Totals
 * stay: they never end.
 */
export async function expireWindows(db: Database, { before, limit }: { before: number; limit: number }) {
  const ended = `SELECT limit_id, bucket, window_start FROM limit_windows
    WHERE (window_start > 0 AND window_start < $1)
      OR (window_start = 0 AND spent = 0 AND forgiven = 0 AND NOT EXISTS (SELECT 1 FROM limit_leases
        WHERE limit_leases.limit_id = limit_windows.limit_id AND limit_leases.bucket = limit_windows.bucket
          AND limit_leases.window_start = 0))
    ORDER BY window_start, limit_id, bucket LIMIT $2`
  const values = [before - LONGEST_WINDOW_MS, limit]
  const [, removed] = await db.transaction([
    { sql: 'DELETE FROM limit_leases WHERE window_start > 0 AND window_start < $1', values: values.slice(0, 1) },
    { sql: `DELETE FROM limit_windows WHERE ${KEY} IN (${ended})`, values },
  ])
  return removed!.changes
}

/** Removes uses of rates, and leases of processes that died, that no longer count. Returns how many. */
export async function expireRates(db: Database, limit: number): Promise<number> {
  const old = 'SELECT limit_id, bucket, slot FROM limit_uses WHERE ends_at <= steady_ms() LIMIT $1'
  const [uses] = await db.transaction([
    { sql: `DELETE FROM limit_uses WHERE (limit_id, bucket, slot) IN (${old})`, values: [limit] },
    { sql: 'DELETE FROM limit_leases WHERE expires_at + counts_ms <= steady_ms()' },
  ])
  return uses!.changes
}
