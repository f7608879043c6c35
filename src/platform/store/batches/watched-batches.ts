import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Value } from '../database.ts'
import { NOT_DELETED } from '../owner.ts'
import { isMadeWithin, type Reach } from '../people/reach.ts'
import { BATCH_FIELDS, type BatchRow, type BatchState, type StoredBatch, toBatch } from './batches.ts'

// Batches of all owners, as operators find them.

/** Which batches are meant. `reach` limits them to what the actor may see. */
export type BatchFilter = {
  status?: BatchState | 'open' | undefined
  project?: string | undefined
  key?: string | undefined
  /** By the time of submission. */
  from?: number | undefined
  to?: number | undefined
  id?: string | undefined
  reach: Reach | undefined
}

/** Newest first. */
export async function listAllBatches(
  db: Database,
  { limit, cursor, ...filter }: BatchFilter & { limit: number; cursor?: string | undefined },
): Promise<Page<StoredBatch>> {
  const values: Value[] = [limit + 1]
  const where = conditions(values)
  if (cursor !== undefined) where.add('(created_at, id) < (?, ?)', readCursor(cursor))
  addFilter(where, filter)
  const sql = `SELECT ${BATCH_FIELDS} FROM batches ${where.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage((await db.query<BatchRow>(sql, values)).map(toBatch), limit)
}

function addFilter(
  { add }: ReturnType<typeof conditions>,
  { status, project, key, from, to, id, reach }: BatchFilter,
): void {
  if (status === 'open') add('ended_at IS NULL')
  else if (status !== undefined) add('state = ?', [status])
  if (project !== undefined) add('project = ?', [project])
  if (key !== undefined) add('key_id = ?', [key])
  if (id !== undefined) add('id = ?', [id])
  if (from !== undefined) add('created_at >= ?', [from])
  if (to !== undefined) add('created_at < ?', [to])
  add(NOT_DELETED)
  if (reach) add(...isMadeWithin(reach, 'key_id'))
}
