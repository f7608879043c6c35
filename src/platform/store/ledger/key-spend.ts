import { conditions, placeholdersFor } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import type { Reach } from '../people/reach.ts'
import { addFilter } from './line-filter.ts'
import { toDollars } from './money.ts'
import { linesOfBatches } from './unrolled-batches.ts'

type KeySpend = { requests: number; cost: number }

type Row = { key: string; requests: number; nanos: number }

/**
 * What keys have cost since the beginning of a day (UTC), as far as the reach goes. Keys without calls are left out. It comes from
 * the sums of days, and lines that are not in them yet; calls are counted one by one for keys that may have made some of them in
 * another organization.
 */
export async function spendOfKeys(
  db: Database,
  keys: readonly string[],
  { from, reach }: { from: number; reach?: Reach | undefined },
): Promise<Map<string, KeySpend>> {
  const mayHaveMoved = reach ? await changedKeys(db, keys, from) : new Set<string>()
  const rows = await summedDays(
    db,
    keys.filter((key) => !mayHaveMoved.has(key)),
    from,
  )
  if (reach && mayHaveMoved.size > 0) rows.push(...(await summedLines(db, [...mayHaveMoved], from, reach)))
  return new Map(rows.map(({ key, requests, nanos }) => [key, { requests, cost: toDollars(nanos) }]))
}

/** Keys that were changed since then, or whose project was: only these can have come from another organization. */
async function changedKeys(db: Database, keys: readonly string[], from: number): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const values: Value[] = []
  const where = conditions(values)
  where.add(`keys.id IN (${placeholdersFor(keys)})`, keys)
  where.add('(keys.updated_at >= ? OR projects.updated_at >= ?)', [from, from])
  const sql = `SELECT keys.id FROM keys LEFT JOIN projects ON projects.id = keys.project ${where.where()}`
  return new Set((await db.report<{ id: string }>(sql, values)).map(({ id }) => id))
}

async function summedDays(db: Database, keys: readonly string[], from: number): Promise<Row[]> {
  if (keys.length === 0) return []
  const values: Value[] = []
  const where = conditions(values)
  where.add("step = 'day' AND dimension = 'key' AND start >= ?", [from])
  where.add(`value IN (${placeholdersFor(keys)})`, keys)
  const newer = conditions(values)
  newer.add('usage.at >= ?', [from])
  newer.add(`usage.key_id IN (${placeholdersFor(keys)})`, keys)
  const sql = `SELECT key, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(nanos) AS BIGINT) AS nanos FROM (
      SELECT value AS key, requests, cost_nanos AS nanos FROM usage_rollups ${where.where()}
      UNION ALL SELECT usage.key_id, 1, COALESCE(usage.cost_nanos, 0)
      FROM ${linesOfBatches('unrolled_batches', db.kind)} ${newer.where()}
    ) AS summed GROUP BY key`
  return await db.report<Row>(sql, values)
}

async function summedLines(db: Database, keys: readonly string[], from: number, reach: Reach): Promise<Row[]> {
  const values: Value[] = []
  const where = conditions(values)
  where.add('at >= ?', [from])
  where.add(`key_id IN (${placeholdersFor(keys)})`, keys)
  addFilter(where, { reach }, db.kind)
  const sql = `SELECT key_id AS key, CAST(COUNT(*) AS BIGINT) AS requests, CAST(SUM(COALESCE(cost_nanos, 0)) AS BIGINT) AS nanos
    FROM usage ${where.where()} GROUP BY key_id`
  return await db.report<Row>(sql, values)
}
