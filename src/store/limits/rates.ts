import { numberedPlaces } from '../conditions.ts'
import type { Database, Value } from '../database.ts'

// A rate is one number: the moment from which on everything that was granted has flowed off again (the theoretical arrival
// time of GCRA). It moves ahead with every grant, and nothing is granted that would move it more than one window ahead.

export type RateAsk = {
  limit: string
  bucket: string
  /** How long one unit takes to flow off, and how much may flow off later than now, in milliseconds. */
  unitMs: number
  windowMs: number
  need: number
  want: number
  /** Used without a grant: it is booked in any case. */
  owed: number
}

export type RateAnswer = { granted: number; left: number; waitMs: number }

export async function takeRate(db: Database, ask: RateAsk): Promise<RateAnswer> {
  const { limit, bucket, unitMs, windowMs, need, want, owed } = ask
  const key: Value[] = [limit, bucket]
  const [, taken] = await db.transaction([
    { sql: LOCK, values: [...key, owed * unitMs] },
    { sql: TAKE, values: [...key, unitMs, windowMs, need, want] },
  ])
  const { granted, room } = taken!.rows[0] as { granted: number; room: number }
  const before = Number(room)
  return {
    granted: Number(granted),
    left: Math.max(0, Math.floor(before) - Number(granted)),
    waitMs: Math.max(1, Math.ceil((need - before) * unitMs)),
  }
}

/** Creates the row or locks it, and books what is owed. */
const LOCK = `INSERT INTO limit_rates (limit_id, bucket, next_at, granted, room)
  VALUES ($1, $2, steady_ms() + CAST($3 AS DOUBLE PRECISION), 0, 0)
  ON CONFLICT (limit_id, bucket) DO UPDATE SET next_at = CASE WHEN limit_rates.next_at > steady_ms()
    THEN limit_rates.next_at ELSE CAST(steady_ms() AS DOUBLE PRECISION) END + CAST($3 AS DOUBLE PRECISION)`

/** `room` is how many units could be granted before. */
const TAKE = `UPDATE limit_rates SET granted = grants.taken, room = grants.room,
    next_at = limit_rates.next_at + grants.taken * CAST($3 AS DOUBLE PRECISION)
  FROM (SELECT room, CASE WHEN room < CAST($5 AS BIGINT) THEN 0 WHEN room < CAST($6 AS BIGINT) THEN CAST(floor(room) AS BIGINT)
      ELSE CAST($6 AS BIGINT) END AS taken
    FROM (SELECT (steady_ms() + CAST($4 AS DOUBLE PRECISION) - next_at) / CAST($3 AS DOUBLE PRECISION) + 0.000001 AS room
      FROM limit_rates WHERE limit_id = $1 AND bucket = $2) AS rooms) AS grants
  WHERE limit_id = $1 AND bucket = $2
  RETURNING limit_rates.granted AS granted, limit_rates.room AS room`

export async function giveBackRate(db: Database, key: Pick<RateAsk, 'limit' | 'bucket'>, ms: number): Promise<void> {
  const sql = `UPDATE limit_rates SET next_at = next_at - CAST($3 AS DOUBLE PRECISION) WHERE limit_id = $1 AND bucket = $2`
  await db.query(sql, [key.limit, key.bucket, ms])
}

/** Everything that was granted has flowed off. */
export async function resetRate(db: Database, limit: string): Promise<void> {
  const sql =
    'UPDATE limit_rates SET next_at = steady_ms() WHERE limit_id = $1 AND next_at > steady_ms() RETURNING limit_id'
  await db.query(sql, [limit])
}

/** When all that was granted has flowed off, in milliseconds from now, for each bucket of these limits. */
export async function readRates(db: Database, limits: readonly string[]) {
  if (limits.length === 0) return []
  const places = numberedPlaces(limits)
  const sql = `SELECT limit_id AS "limit", bucket, next_at - steady_ms() AS "flowsMs" FROM limit_rates
    WHERE limit_id IN (${places}) AND next_at > steady_ms() ORDER BY next_at DESC LIMIT 10000`
  return await db.query<{ limit: string; bucket: string; flowsMs: number }>(sql, limits)
}
