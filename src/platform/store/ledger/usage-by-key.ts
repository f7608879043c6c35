import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { addFilter, type LineFilter } from './line-filter.ts'
import { linesAreGone, whileComplete } from './sum-usage.ts'

/** Milliseconds since 1970; the end is not included. */
type Step = { from: number; to: number }

export type KeyUse = {
  /** When its step begins. */
  from: number
  key: string
  user: string
  endpoint: string
  /** The model, or the model string of a task, of calls to endpoints that several kinds of work share; empty for other calls. */
  model: string
  provider: string
  requests: number
  costNanos: bigint
  unpriced: number
}

type Question = { steps: readonly Step[]; filter: LineFilter; keyName?: string | undefined; max: number }

/**
 * Sums calls by key, user, endpoint, model and provider for each step: over single lines, because roll-ups have no combinations. Returns
 * one row more than `max` if there are more.
 */
export function usageByKey(db: Database, { steps, filter, keyName, max }: Question): Promise<KeyUse[]> {
  return whileComplete(db, async (complete) => {
    if (steps[0]!.from < complete) throw linesAreGone(complete)
    const values: Value[] = steps.flatMap(({ from, to }) => [from, to])
    const tuples = steps.map((_, at) => `($${2 * at + 1}, $${2 * at + 2})`)
    const where = conditions(values)
    addFilter(where, filter, db.kind)
    if (keyName !== undefined) where.add('key_id IN (SELECT keys.id FROM keys WHERE keys.name = ?)', [keyName])
    const sql = `SELECT CAST(column1 AS BIGINT) AS "from", key_id AS key, COALESCE(user_id, '') AS user, endpoint, ${MODEL} AS model,
        provider, CAST(COUNT(*) AS BIGINT) AS requests, CAST(SUM(COALESCE(cost_nanos, 0)) AS TEXT) AS "costNanos",
        CAST(SUM(CASE WHEN cost_nanos IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS unpriced
      FROM (VALUES ${tuples.join(', ')}) AS steps
      JOIN usage ON usage.at >= CAST(column1 AS BIGINT) AND usage.at < CAST(column2 AS BIGINT)
      ${where.where()} GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1, 4, 5, 6 LIMIT $${values.push(max + 1)}`
    const rows = await db.report<Omit<KeyUse, 'costNanos'> & { costNanos: string }>(sql, values)
    return rows.map(({ costNanos, ...row }) => ({
      ...row,
      from: Number(row.from),
      requests: Number(row.requests),
      unpriced: Number(row.unpriced),
      costNanos: BigInt(costNanos),
    }))
  })
}

const MODEL = "CASE WHEN endpoint = 'universal' THEN model ELSE '' END"
