import { CANCELLING, MAY_BE_CANCELLED } from '../batches/batches.ts'
import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { IS_READ } from '../files.ts'
import { NOT_OF_PROJECT } from '../owner.ts'

// Removes content by the columns of its owner, in bounded batches. Every batch can be repeated, so a process that is killed loses
// nothing: the next one goes on.

/** What is removed: what a project has, what is about one end user of it, or what people have who were deleted, in any project. */
export type Purge = { project: string; endUser?: string | undefined } | 'deleted people'

/** Tables whose rows have bytes beside them. */
export type WithBytes = 'files' | 'contents'

/** The rows of the next batch. Their bytes are deleted before them, so that none is forgotten. */
export async function nextWithBytes(db: Database, table: WithBytes, purge: Purge, limit: number): Promise<string[]> {
  const { where, values } = condition(purge)
  const isFree = table === 'files' ? `AND NOT ${IS_READ}` : ''
  const sql = `SELECT id FROM ${table} WHERE ${where} ${isFree} LIMIT ${limit}`
  return (await db.query<{ id: string }>(sql, values)).map(({ id }) => id)
}

export async function deleteRows(db: Database, table: WithBytes, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.transaction([{ sql: `DELETE FROM ${table} WHERE id IN (${numberedPlaceholders(ids)})`, values: ids }])
}

const IS_AT_PROVIDERS = 'EXISTS (SELECT 1 FROM provider_batches WHERE provider_batches.batch_id = batches.id)'

/**
 * Jobs and batches with their requests and results, webhooks that carry results, and conversations. A worker that runs one of them
 * finds that it no longer has it, and stops; what it has spent is in the ledger. Batches of which providers have lines are cancelled,
 * and removed when these are booked. Returns how many of them were removed.
 */
export async function deleteSome(db: Database, purge: Purge, limit: number): Promise<number> {
  const { where, values } = condition(purge)
  const jobs = `SELECT id FROM jobs WHERE ${where} ORDER BY id LIMIT ${limit}`
  const some = (table: string) => {
    return { sql: `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${limit})`, values }
  }
  const batches = `SELECT id FROM batches WHERE ${where} AND NOT ${IS_AT_PROVIDERS} ORDER BY id LIMIT ${limit}`
  const cancelled = `UPDATE batches SET ${CANCELLING} WHERE ${where} AND ${IS_AT_PROVIDERS} AND ${MAY_BE_CANCELLED}`
  const results = await db.transaction([
    { sql: `DELETE FROM deliveries WHERE job_id IN (${jobs})`, values },
    { sql: `DELETE FROM jobs WHERE id IN (${jobs})`, values },
    { sql: `DELETE FROM deliveries WHERE job_id IN (${batches})`, values },
    { sql: `DELETE FROM batches WHERE id IN (${batches})`, values },
    { sql: cancelled, values },
    some('conversations'),
    // Deliveries outlive a job that its owner has deleted, and do not say whom they are about.
    ...(purge !== 'deleted people' && purge.endUser !== undefined ? [] : [some('deliveries')]),
  ])
  return Math.max(...results.map(({ changes }) => changes))
}

/** Whether there are batches that stay until their providers have answered, and their files with them. */
export async function hasBatches(db: Database, purge: Purge): Promise<boolean> {
  const { where, values } = condition(purge)
  return (await db.query(`SELECT 1 FROM batches WHERE ${where} LIMIT 1`, values)).length > 0
}

export async function hasUnfinishedJobs(db: Database, purge: Purge): Promise<boolean> {
  const { where, values } = condition(purge)
  const sql = `SELECT 1 FROM jobs WHERE finished_at IS NULL AND ${where}
    UNION ALL SELECT 1 FROM batches WHERE ended_at IS NULL AND ${where} LIMIT 1`
  return (await db.query(sql, values)).length > 0
}

const OF_DELETED_PEOPLE = `${NOT_OF_PROJECT} AND owner_kind = 'person' AND owner_id NOT IN (SELECT users.id FROM users)`

/** On the columns of the owner. */
function condition(purge: Purge): { where: string; values: Value[] } {
  if (purge === 'deleted people') return { where: OF_DELETED_PEOPLE, values: [] }
  const { project, endUser } = purge
  if (endUser === undefined) return { where: 'project = $1', values: [project] }
  return { where: 'project = $1 AND end_user = $2', values: [project, endUser] }
}
