import type { Database, Statement } from '../database.ts'
import { IS_ROLLED_UP } from './unrolled-batches.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

// Lines that are older than their retention are removed; the roll-ups stay. Lines go by whole hours, and before the first of
// them goes, the store notes up to where they may be missing. So a report knows which hours it can still split.

const COMPLETE_FROM = 'usage-complete-from'

/** From this time on, no line was removed. */
export async function completeFrom(db: Database): Promise<number> {
  const rows = await db.report<{ value: string }>('SELECT value FROM settings WHERE name = $1', [COMPLETE_FROM])
  return Number(rows[0]?.value ?? 0)
}

/** The time before which lines were removed; 0 if none was. The time is noted even if there was nothing to remove: roll-ups say whether there was. */
export async function removedBefore(db: Database): Promise<number> {
  const complete = await completeFrom(db)
  const sql = "SELECT start FROM usage_rollups WHERE step = 'hour' AND dimension = 'provider' AND start < $1 LIMIT 1"
  return (await db.report(sql, [complete])).length > 0 ? complete : 0
}

/** The time before which lines are removed: the beginning of an hour. */
export async function expiryOf(db: Database, keepMs: number): Promise<number> {
  const [row] = await db.query<{ now: number }>('SELECT now_ms() AS now')
  return Math.floor((row!.now - keepMs) / HOUR_MS) * HOUR_MS
}

/** Comes before lines are removed, in the same transaction. Never goes back. */
export function noteExpiry(before: number): Statement {
  return {
    sql: `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
      WHERE CAST(settings.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    values: [COMPLETE_FROM, String(before)],
  }
}

/**
 * Removes a batch of lines that are rolled up, and returns how many there were. On PostgreSQL, whole months go with their
 * partitions.
 */
export async function expireLines(db: Database, { before, limit }: { before: number; limit: number }): Promise<number> {
  const table = db.kind === 'postgres' ? 'usage_other' : 'usage'
  const sql = `DELETE FROM ${table} WHERE (at, id) IN (
    SELECT at, id FROM ${table} AS usage WHERE at < $1 AND ${IS_ROLLED_UP} ORDER BY at, id LIMIT $2)`
  const [, removed] = await db.transaction([noteExpiry(before), { sql, values: [before, limit] }])
  return removed!.changes
}
