import type { Database, Statement } from '../database.ts'
import { OWNER_COLUMNS, OWNER_FIELDS, type Owner, ownerPlaceholders, ownerValues } from '../owner.ts'
import { scanFairly } from '../owner-scans.ts'

// Batches as their owners and the operator see them. How they are run is in batch-runs.ts and batch-lines.ts.

/** How the client speaks: the shape of the lines, of the batch and of the answers. */
export type BatchDoor = 'openai' | 'anthropic' | 'gemini'

export type BatchEnding = 'completed' | 'failed' | 'expired' | 'cancelled'
export type BatchState = 'validating' | 'in_progress' | 'cancelling' | 'finalizing' | BatchEnding

type NewBatch = Owner & {
  id: string
  keyId: string
  /** Whom the batch is about, as the caller names that person. */
  endUser: string | null
  door: BatchDoor
  /** What all lines are for; null if each line may be for another endpoint. */
  endpoint: string | null
  /** The name that the caller gave to it. */
  name: string | null
  /** The id of the file with the lines. */
  inputFile: string
  /** What running it needs, as JSON. The store does not look into it. */
  request: unknown
  webhookUrl: string | null
  windowMs: number
  /** How many lines there are; 0 as long as that is not known. */
  total: number
}

/** A line that is not valid, or what else keeps a batch from being run. */
export type BatchProblem = { code: string; message: string; line: number | null; param: string | null }

export type StoredBatch = Omit<NewBatch, 'request'> & {
  request: string
  state: BatchState
  /** How it will have ended when its answers are written. */
  ending: BatchEnding | null
  problems: BatchProblem[]
  /** Why no line is asked at the moment, and until when; null if lines are asked. */
  pausedReason: string | null
  resumesAt: number | null
  outputFile: string | null
  errorFile: string | null
  succeeded: number
  errored: number
  cancelled: number
  expired: number
  createdAt: number
  expiresAt: number
  inProgressAt: number | null
  cancellingAt: number | null
  finalizingAt: number | null
  endedAt: number | null
}

export type BatchRow = Omit<StoredBatch, 'problems'> & { problems: string | null }

export const BATCH_FIELDS = `id, ${OWNER_FIELDS}, key_id AS "keyId", end_user AS "endUser", door, endpoint, name, input_file AS "inputFile",
  output_file AS "outputFile", error_file AS "errorFile", request, webhook_url AS "webhookUrl", window_ms AS "windowMs", state, ending,
  problems, paused_reason AS "pausedReason", resume_at - steady_ms() + now_ms() AS "resumesAt", total, succeeded, errored, cancelled,
  expired, created_at AS "createdAt", expires_at AS "expiresAt", in_progress_at AS "inProgressAt", cancelling_at AS "cancellingAt",
  finalizing_at AS "finalizingAt", ended_at AS "endedAt"`

const OWN = 'owner = $1'

/** Adds the batch, unless its owner has `most` batches that have not ended. Returns undefined then. */
export async function insertBatch(db: Database, batch: NewBatch, most: number): Promise<StoredBatch | undefined> {
  const sql = `INSERT INTO batches (id, key_id, end_user, door, endpoint, name, input_file, request, webhook_url, window_ms, state, total,
      succeeded, errored, cancelled, expired, attempt, turn_at, deadline_at, bytes, created_at, expires_at, ${OWNER_COLUMNS})
    WITH clock AS MATERIALIZED (SELECT now_ms() AS now, steady_ms() AS steady)
    SELECT $1, $2, CAST($3 AS TEXT), $4, CAST($5 AS TEXT), CAST($6 AS TEXT), $7, $8, CAST($9 AS TEXT), CAST($10 AS BIGINT), 'validating', CAST($16 AS BIGINT),
      0, 0, 0, 0, 0, 0, steady + CAST($10 AS BIGINT), 0, now, now + CAST($10 AS BIGINT), ${ownerPlaceholders(11)} FROM clock
    WHERE (SELECT COUNT(*) FROM batches AS mine WHERE mine.owner = $14 AND mine.ended_at IS NULL) < CAST($15 AS BIGINT)
    RETURNING ${BATCH_FIELDS}`
  const { id, keyId, endUser, door, endpoint, name, inputFile, request, webhookUrl, windowMs, total } = batch
  const about = [id, keyId, endUser, door, endpoint, name, inputFile, JSON.stringify(request), webhookUrl, windowMs]
  const [row] = await db.query<BatchRow>(sql, [...about, ...ownerValues(batch), most, total])
  return row && toBatch(row)
}

export async function findBatch(
  db: Database,
  { owner, door, id }: { owner: string; door: BatchDoor; id: string },
): Promise<StoredBatch | undefined> {
  const sql = `SELECT ${BATCH_FIELDS} FROM batches WHERE ${OWN} AND id = $2 AND door = $3`
  const [row] = await db.query<BatchRow>(sql, [owner, id, door])
  return row && toBatch(row)
}

export type BatchQuery = { owner: string; door: BatchDoor; limit: number; order: 'newest' | 'oldest' }

/** The batches of an owner behind one of them, or from the first. */
export async function listBatches(
  db: Database,
  { owner, door, limit, order }: BatchQuery,
  after: Pick<StoredBatch, 'createdAt' | 'id'> | undefined,
): Promise<StoredBatch[]> {
  const [sign, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  const behind = after ? `AND (created_at ${sign} $4 OR (created_at = $4 AND id ${sign} $5))` : ''
  const sql = `SELECT ${BATCH_FIELDS} FROM batches WHERE ${OWN} AND door = $2 ${behind}
    ORDER BY created_at ${direction}, id ${direction} LIMIT $3`
  const values = after ? [owner, door, limit, after.createdAt, after.id] : [owner, door, limit]
  return (await scanFairly(db, owner, () => db.query<BatchRow>(sql, values))).map(toBatch)
}

export const CANCELLING = `state = 'cancelling', cancelling_at = now_ms(), paused_reason = NULL, resume_at = NULL`
export const MAY_BE_CANCELLED = `state IN ('validating', 'in_progress')`

/** Asks for the end of a batch that may still ask lines. One that is about to end is left alone. */
export async function cancelBatch(db: Database, owner: string, id: string): Promise<boolean> {
  return await changesOne(db, {
    sql: `UPDATE batches SET ${CANCELLING} WHERE ${OWN} AND id = $2 AND ${MAY_BE_CANCELLED}`,
    values: [owner, id],
    required: true,
  })
}

/** Deletes a batch that has ended. Its files stay. */
export async function deleteBatch(db: Database, owner: string, id: string): Promise<boolean> {
  return await changesOne(db, {
    sql: `DELETE FROM batches WHERE ${OWN} AND id = $2 AND ended_at IS NOT NULL`,
    values: [owner, id],
  })
}

/** Removes batches that ended long ago, and returns how many. */
export async function expireBatches(db: Database, { keepMs, limit }: { keepMs: number; limit: number }) {
  const sql = `DELETE FROM batches WHERE id IN (
    SELECT id FROM batches WHERE ended_at < (SELECT now_ms()) - $1 ORDER BY ended_at LIMIT $2)`
  const [expired] = await db.transaction([{ sql, values: [keepMs, limit] }])
  return expired!.changes
}

export async function changesOne(db: Database, statement: Statement): Promise<boolean> {
  const [result] = await db.transaction([statement])
  return result!.changes > 0
}

export function toBatch({ problems, ...row }: BatchRow): StoredBatch {
  return { ...row, problems: problems === null ? [] : (JSON.parse(problems) as BatchProblem[]) }
}
