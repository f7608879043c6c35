import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Value } from '../database.ts'
import { type JobSummary, type SummaryRow, SUMMARY, toSummary } from './jobs.ts'
import { NOT_DELETED } from '../owner.ts'
import { isMadeWithin, type Reach } from '../people/reach.ts'

// Jobs of all owners, as operators find them.

const JOB_STATES = ['queued', 'running', 'success', 'fail'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Which jobs are meant. `reach` limits them to what the actor may see. */
export type WatchFilter = {
  status?: JobState | 'processing' | undefined
  project?: string | undefined
  owner?: string | undefined
  feature?: string | undefined
  subfeature?: string | undefined
  provider?: string | undefined
  /** By the time of submission. */
  from?: number | undefined
  to?: number | undefined
  id?: string | undefined
  reach?: Reach | undefined
}

type Conditions = ReturnType<typeof conditions>

export function addJobFilter({ add }: Conditions, filter: WatchFilter): void {
  const { status, owner, from, to, reach } = filter
  if (status === 'processing') add('finished_at IS NULL')
  else if (status !== undefined) add('state = ?', [status])
  for (const column of ['project', 'feature', 'subfeature', 'provider', 'id'] as const)
    if (filter[column] !== undefined) add(`${column} = ?`, [filter[column]])
  if (owner !== undefined) add('owner_id = ?', [owner])
  if (from !== undefined) add('created_at >= ?', [from])
  if (to !== undefined) add('created_at < ?', [to])
  add(NOT_DELETED)
  if (reach) add(...isMadeWithin(reach, 'key_id'))
}

/** Newest first. */
export async function listAllJobs(
  db: Database,
  { limit, cursor, ...filter }: WatchFilter & { limit: number; cursor?: string | undefined },
): Promise<Page<JobSummary & { state: JobState }>> {
  const values: Value[] = [limit + 1]
  const where = conditions(values)
  if (cursor !== undefined) where.add('(created_at, id) < (?, ?)', readCursor(cursor))
  addJobFilter(where, filter)
  const sql = `SELECT ${SUMMARY}, state FROM jobs ${where.where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage((await db.query<SummaryRow & { state: JobState }>(sql, values)).map(toSummary), limit)
}

/** How many jobs there are in each state. */
export async function countJobs(db: Database, filter: WatchFilter): Promise<Record<JobState, number>> {
  const values: Value[] = []
  const where = conditions(values)
  addJobFilter(where, filter)
  const sql = `SELECT state, COUNT(*) AS count FROM jobs ${where.where()} GROUP BY state`
  const rows = await db.report<{ state: JobState; count: number }>(sql, values)
  const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>
  for (const { state, count } of rows) counts[state] = count
  return counts
}
