import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'
import { indexedId } from './line-filter.ts'

const IDS_PER_QUERY = 500

/** Those of these calls that have a line in the ledger. An execution that ended its job has the line of the job. */
export async function storedIds(db: Database, ids: readonly string[]): Promise<string[]> {
  const stored: string[] = []
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const sql = `SELECT id FROM usage WHERE ${indexedId(db.kind)} IN (${numberedPlaceholders(some)})`
    for (const { id } of await db.query<{ id: string }>(sql, some)) stored.push(id)
    stored.push(...(await endedJobs(db, some)))
  }
  return stored
}

/** The id of an execution is that of its job, with the number of the attempt behind it. */
const EXECUTION = /^(.+)\.\d+$/

async function endedJobs(db: Database, ids: readonly string[]): Promise<string[]> {
  const jobs = new Set(ids.flatMap((id) => EXECUTION.exec(id)?.[1] ?? []))
  if (jobs.size === 0) return []
  const sql = `SELECT id, attempt FROM jobs WHERE state IN ('success', 'fail') AND id IN (${numberedPlaceholders([...jobs])})`
  const ended = await db.query<{ id: string; attempt: number }>(sql, [...jobs])
  return ended.map(({ id, attempt }) => `${id}.${attempt}`).filter((id) => ids.includes(id))
}
