import { numberedPlaces } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import { ownersOfProject } from './owned-content.ts'

// Removes the content of a project, or what is about one end user of it, in bounded batches. Every batch can be repeated, so a
// process that is killed loses nothing: the next one goes on.

/** `endUser`: only what is about this person. */
export type Purge = { project: string; endUser?: string | undefined }

/** The files of the next batch. Their bytes are deleted before their rows, so that none is forgotten. */
export async function nextFiles(db: Database, purge: Purge, limit: number): Promise<string[]> {
  const { where, values } = condition(db, purge)
  const sql = `SELECT id FROM files WHERE ${where} LIMIT ${limit}`
  return (await db.query<{ id: string }>(sql, values)).map(({ id }) => id)
}

export async function deleteFileRows(db: Database, ids: readonly string[]): Promise<void> {
  const places = numberedPlaces(ids)
  await db.transaction([{ sql: `DELETE FROM files WHERE id IN (${places})`, values: ids }])
}

/**
 * Jobs with their requests and results, webhooks that carry results, and conversations. A worker that runs one of the jobs finds
 * that it no longer has it, and stops; what it has spent is in the ledger. Returns how many jobs and conversations were removed.
 */
export async function deleteSome(db: Database, purge: Purge, limit: number): Promise<number> {
  const { where, values } = condition(db, purge)
  const jobs = `SELECT id FROM jobs WHERE ${where} ORDER BY id LIMIT ${limit}`
  const [deliveries, removed, conversations] = await db.transaction([
    { sql: `DELETE FROM deliveries WHERE job_id IN (${jobs})`, values },
    { sql: `DELETE FROM jobs WHERE id IN (${jobs})`, values },
    {
      sql: `DELETE FROM conversations WHERE id IN (SELECT id FROM conversations WHERE ${where} LIMIT ${limit})`,
      values,
    },
    ...(purge.endUser === undefined ? [orphanedDeliveries(db, purge, limit)] : []),
  ])
  return Math.max(deliveries!.changes, removed!.changes, conversations!.changes)
}

export async function hasUnfinishedJobs(db: Database, purge: Purge): Promise<boolean> {
  const { where, values } = condition(db, purge)
  return (await db.query(`SELECT 1 FROM jobs WHERE finished_at IS NULL AND ${where} LIMIT 1`, values)).length > 0
}

/** Deliveries outlive a job that its owner has deleted. */
function orphanedDeliveries({ kind }: Database, { project }: Purge, limit: number): Statement {
  const sql = `DELETE FROM deliveries WHERE id IN (
    SELECT id FROM deliveries WHERE owner IN (${ownersOfProject(kind)}) LIMIT ${limit})`
  return { sql, values: [project] }
}

function condition({ kind }: Database, { project, endUser }: Purge): { where: string; values: Value[] } {
  const owned = `owner IN (${ownersOfProject(kind)})`
  if (endUser === undefined) return { where: owned, values: [project] }
  return { where: `end_user = $2 AND ${owned}`, values: [project, endUser] }
}
