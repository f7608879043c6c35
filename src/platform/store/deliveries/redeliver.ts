import { conditions } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import { STORED, type StoredDelivery } from './deliveries.ts'
import { addDeliveryFilter, type DeliveryFilter } from './watched-deliveries.ts'

/**
 * Schedules the same bytes with the same signature for now, with a full set of attempts. A delivery in flight is left
 * alone.
 */
export async function redeliver(db: Database, id: string): Promise<StoredDelivery | undefined> {
  const [, found] = await db.transaction([
    again(id),
    { sql: `SELECT ${STORED} FROM deliveries WHERE id = $1`, values: [id] },
  ])
  return found!.rows[0] as StoredDelivery | undefined
}

/** Returns how many were scheduled. */
export async function redeliverAll(db: Database, ids: readonly string[]): Promise<number> {
  return (await db.transaction(ids.map(again))).filter(({ changes }) => changes > 0).length
}

export async function countFailed(db: Database, filter: DeliveryFilter): Promise<number> {
  const values: Value[] = []
  const sql = `SELECT COUNT(*) AS count FROM deliveries ${whereFailed(filter, values)}`
  return (await db.report<{ count: number }>(sql, values))[0]!.count
}

/** The oldest that were given up. */
export async function chooseFailed(db: Database, filter: DeliveryFilter, limit: number): Promise<string[]> {
  const values: Value[] = [limit]
  const sql = `SELECT id FROM deliveries ${whereFailed(filter, values)} ORDER BY created_at, id LIMIT $1`
  return (await db.query<{ id: string }>(sql, values)).map(({ id }) => id)
}

function again(id: string): Statement {
  const sql = `UPDATE deliveries SET state = 'pending', attempts = 0, lease = lease + 1, lease_until = NULL, next_at = steady_ms(),
      settled_at = NULL
    WHERE id = $1 AND (lease_until IS NULL OR lease_until < steady_ms())`
  return { sql, values: [id] }
}

function whereFailed(filter: DeliveryFilter, values: Value[]): string {
  const where = conditions(values)
  addDeliveryFilter(where, { ...filter, state: 'failed' })
  return where.where()
}
