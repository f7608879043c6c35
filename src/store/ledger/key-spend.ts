import { conditions, placesFor } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { toDollars } from './money.ts'

export type KeySpend = { requests: number; cost: number }

/** What keys have cost since the beginning of a day (UTC), from the sums of days. Keys without calls are left out. */
export async function spendOfKeys(db: Database, keys: readonly string[], from: number): Promise<Map<string, KeySpend>> {
  if (keys.length === 0) return new Map()
  const values: Value[] = []
  const where = conditions(values)
  where.add("step = 'day' AND dimension = 'key' AND start >= ?", [from])
  where.add(`value IN (${placesFor(keys)})`, keys)
  const sql = `SELECT value AS key, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(cost_nanos) AS BIGINT) AS nanos
    FROM usage_rollups ${where.where()} GROUP BY value`
  const rows = await db.report<{ key: string; requests: number; nanos: number }>(sql, values)
  return new Map(rows.map(({ key, requests, nanos }) => [key, { requests, cost: toDollars(nanos) }]))
}
