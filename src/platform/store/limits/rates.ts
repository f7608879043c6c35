import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import {
  DROP_EMPTY,
  grantedIn,
  type HeldSums,
  heldSums,
  KEEP,
  keyOf,
  type LeaseGrant,
  type LeaseRequest,
  leaseSql,
  lockOf,
  takeFrom,
} from './leases.ts'

// A rate is a window that slides: what was used in the last second, minute or hour, and what processes hold for use, together
// never exceed its amount. Uses are added up in slots. A process tells what it has used, and when, whenever it asks.

/** What was used in one slot. It counts until `endsAt`, on the clock of the store. Negative if a call has used less than it took. */
export type Use = { slot: number; used: number; endsAt: number }

export type RateAsk = Omit<LeaseRequest, 'start' | 'returned'> & {
  uses: readonly Use[]
  /** What this process still holds of what it was granted, and may use from now on. */
  unused: number
}

type RateAnswer = LeaseGrant & {
  /** What counts at this moment of the store's clock, the oldest first. */
  at: number
  uses: { used: number; endsAt: number }[]
}

export async function takeRate(db: Database, rateAsk: RateAsk): Promise<RateAnswer> {
  const ask = { ...rateAsk, start: 0 }
  const { processName, unused, uses, want, leanMs = 0 } = ask
  const key = keyOf(ask)
  const ours = [...key, processName]
  const results = await db.transaction([
    lockOf(ask),
    ...uses.map((use) => usedStatement(key, use)),
    { sql: KEEP, values: [...ours, unused, leanMs] },
    // No call waits for a process that only gives back, so this is the time to tidy up.
    ...(want > 0
      ? []
      : [
          { sql: DROP_EMPTY, values: ours },
          { sql: DROP_OLD, values: key.slice(0, 2) },
        ]),
    ...takeFrom(SQL.take, ask),
    { sql: REST, values: ours },
  ])
  const rows = results.at(-1)!.rows as RestRow[]
  const first = rows[0]!
  const counted = rows.flatMap(({ used, endsAt }) =>
    used === null ? [] : [{ used: Number(used), endsAt: Number(endsAt) }],
  )
  const spent = counted.reduce((sum, { used }) => sum + used, 0)
  return { granted: grantedIn(results), spent, ...heldSums(first), at: Number(first.at), uses: counted }
}

type RestRow = HeldSums & { at: number; used: number | null; endsAt: number }

/** A slot that no call has used has nothing to give back. */
function usedStatement(key: readonly Value[], { slot, used, endsAt }: Use): Statement {
  const rowKey = [...key.slice(0, 2), slot]
  return used < 0 ? { sql: USED_LESS, values: [...rowKey, -used] } : { sql: USED, values: [...rowKey, used, endsAt] }
}

const USED = `INSERT INTO limit_uses (limit_id, bucket, slot, used, ends_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (limit_id, bucket, slot) DO UPDATE SET used = limit_uses.used + excluded.used,
    ends_at = CASE WHEN limit_uses.ends_at > excluded.ends_at THEN limit_uses.ends_at ELSE excluded.ends_at END`
const USED_LESS = `UPDATE limit_uses SET used = CASE WHEN used > $4 THEN used - $4 ELSE 0 END
  WHERE limit_id = $1 AND bucket = $2 AND slot = $3`
const DROP_OLD = 'DELETE FROM limit_uses WHERE limit_id = $1 AND bucket = $2 AND ends_at <= steady_ms()'

const SPENT = `COALESCE((SELECT CAST(SUM(used) AS BIGINT) FROM limit_uses
  WHERE limit_id = $1 AND bucket = $2 AND ends_at > steady_ms()), 0)`
const SQL = leaseSql(SPENT)
const REST = `SELECT leased, callable, "inUse", steady_ms() AS at, limit_uses.used AS used, limit_uses.ends_at AS "endsAt"
  FROM (${SQL.rest}) AS sums LEFT JOIN limit_uses
    ON limit_uses.limit_id = $1 AND limit_uses.bucket = $2 AND limit_uses.ends_at > steady_ms() AND limit_uses.used > 0
  ORDER BY limit_uses.ends_at`

/** Nothing was used. What processes hold for use, they keep. */
export async function resetRate(db: Database, limit: string): Promise<void> {
  await db.query('DELETE FROM limit_uses WHERE limit_id = $1 RETURNING limit_id', [limit])
}

type RateSum = { limit: string; bucket: string; spent: number; leased: number; callable: number }

/** What counts now for each bucket of these limits: what was used, and what processes hold for use. */
export async function readRates(db: Database, limits: readonly string[]): Promise<RateSum[]> {
  if (limits.length === 0) return []
  const places = numberedPlaceholders(limits)
  const sql = `SELECT limit_id AS "limit", bucket, CAST(SUM(used) AS BIGINT) AS spent, CAST(SUM(granted) AS BIGINT) AS leased,
      CAST(SUM(callable) AS BIGINT) AS callable FROM (
      SELECT limit_id, bucket, used, 0 AS granted, 0 AS callable FROM limit_uses
        WHERE limit_id IN (${places}) AND ends_at > steady_ms()
      UNION ALL SELECT limit_id, bucket, 0, granted, CASE WHEN lean_until > steady_ms() THEN 0 ELSE granted END FROM limit_leases
        WHERE limit_id IN (${places}) AND expires_at + counts_ms > steady_ms()) AS counted
    GROUP BY limit_id, bucket ORDER BY spent DESC LIMIT 10000`
  const rows = await db.query<RateSum>(sql, limits)
  return rows.map(({ limit, bucket, ...sums }) => {
    const [spent, leased, callable] = [sums.spent, sums.leased, sums.callable].map(Number)
    return { limit, bucket, spent: spent!, leased: leased!, callable: callable! }
  })
}
