import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Value } from '../database.ts'
import { type DeliveryState, STORED, type StoredDelivery } from './deliveries.ts'
import { NOT_DELETED } from '../owner.ts'
import { isMadeWithin, type Reach } from '../people/reach.ts'

/** Which deliveries are meant. `reach` limits them to what the actor may see. */
export type DeliveryFilter = {
  state?: DeliveryState | undefined
  jobId?: string | undefined
  id?: string | undefined
  project?: string | undefined
  owner?: string | undefined
  /** Host and port. */
  receiver?: string | undefined
  /** The status of the last answer. */
  lastStatus?: number | undefined
  from?: number | undefined
  to?: number | undefined
  reach?: Reach | undefined
}

const COLUMNS = {
  state: 'state',
  jobId: 'job_id',
  id: 'id',
  project: 'project',
  owner: 'owner_id',
  receiver: 'receiver',
  lastStatus: 'last_status',
} as const

export function addDeliveryFilter({ add }: ReturnType<typeof conditions>, filter: DeliveryFilter): void {
  for (const [name, column] of Object.entries(COLUMNS)) {
    const value = filter[name as keyof typeof COLUMNS]
    if (value !== undefined) add(`${column} = ?`, [value])
  }
  const { from, to, reach } = filter
  if (from !== undefined) add('created_at >= ?', [from])
  if (to !== undefined) add('created_at < ?', [to])
  add(NOT_DELETED)
  if (reach) add(...isMadeWithin(reach, 'submitted_by'))
}

/** Newest first. */
export async function listDeliveries(
  db: Database,
  { limit, cursor, ...filter }: DeliveryFilter & { limit: number; cursor?: string | undefined },
): Promise<Page<StoredDelivery>> {
  const values: Value[] = [limit + 1]
  const where = conditions(values)
  if (cursor !== undefined) where.add('(created_at, id) < (?, ?)', readCursor(cursor))
  addDeliveryFilter(where, filter)
  const sql = `SELECT ${STORED} FROM deliveries ${where.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<StoredDelivery>(sql, values), limit)
}

/** What was sent, and whose key it is about; the body is null if it is too long to be shown. */
export type SentDelivery = {
  signature: string
  body: Uint8Array | null
  /** Null if the key is not in the store. */
  user: string | null
}

const MAX_BYTES = 1_000_000

export async function readSent(db: Database, id: string): Promise<SentDelivery | undefined> {
  const sql = `SELECT signature, (SELECT user_id FROM keys WHERE keys.id = deliveries.submitted_by) AS "user",
      (SELECT CASE WHEN LENGTH(body) <= ${MAX_BYTES} THEN body END FROM delivery_bodies WHERE delivery_id = deliveries.id) AS "body"
    FROM deliveries WHERE id = $1`
  return (await db.query<SentDelivery>(sql, [id]))[0]
}
