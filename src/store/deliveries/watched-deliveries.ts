import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Value } from '../database.ts'
import { type DeliveryState, STORED, type StoredDelivery } from '../deliveries.ts'
import { type Condition, DEFAULT_ORGANIZATION, isMadeWithin, type Reach } from '../people/reach.ts'
import { projectOfOwnerSql } from '../people/content-owners.ts'

/** Which deliveries are meant. `reach` limits them to what somebody may see. */
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
  ...{ state: 'state', jobId: 'job_id', id: 'id', owner: 'owner', receiver: 'receiver', lastStatus: 'last_status' },
} as const

export function addDeliveryFilter({ add }: ReturnType<typeof conditions>, filter: DeliveryFilter): void {
  for (const [name, column] of Object.entries(COLUMNS)) {
    const value = filter[name as keyof typeof COLUMNS]
    if (value !== undefined) add(`${column} = ?`, [value])
  }
  const { project, from, to, reach } = filter
  if (from !== undefined) add('created_at >= ?', [from])
  if (to !== undefined) add('created_at < ?', [to])
  if (project !== undefined) add(...isDeliveryWithin({ organizations: [], projects: [project], own: undefined }))
  if (reach) add(...isDeliveryWithin(reach))
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

/** What was sent, and whose job it is about; the body is null if it is too long to be shown. */
export type SentDelivery = {
  signature: string
  body: Uint8Array | null
  /** Null if the job or its key is gone. */
  project: string | null
  user: string | null
  organization: string
}

const MAX_BYTES = 1_000_000
const OF_KEY = 'FROM keys JOIN jobs ON jobs.key_id = keys.id WHERE jobs.id = deliveries.job_id'

export async function readSent(db: Database, id: string): Promise<SentDelivery | undefined> {
  const sql = `SELECT signature, (SELECT project ${OF_KEY}) AS "project", (SELECT user_id ${OF_KEY}) AS "user",
      COALESCE((SELECT organization FROM projects WHERE projects.id
        = COALESCE((SELECT project ${OF_KEY}), ${projectOfOwnerSql('deliveries.owner')})),
        '${DEFAULT_ORGANIZATION}') AS "organization",
      (SELECT CASE WHEN LENGTH(body) <= ${MAX_BYTES} THEN body END FROM delivery_bodies WHERE delivery_id = deliveries.id) AS "body"
    FROM deliveries WHERE id = $1`
  return (await db.query<SentDelivery>(sql, [id]))[0]
}

/** A delivery stays when its job is deleted. Then its owner says where it belongs. */
function isDeliveryWithin(reach: Reach): Condition {
  const [ofOwner, values] = isMadeWithin(reach, 'owner')
  const [ofJob, more] = isMadeWithin(reach, 'key_id')
  return [`(${ofOwner} OR job_id IN (SELECT id FROM jobs WHERE ${ofJob}))`, [...values, ...more]]
}
