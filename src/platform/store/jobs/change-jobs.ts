import { conditions } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import { nextRotation, RESPONSES } from './jobs.ts'
import { OWNER_COLUMNS } from '../owner.ts'
import { addJobFilter, type WatchFilter } from './watched-jobs.ts'

// What operators do with jobs of others, one by one or all that pass a filter.

export type JobAction = 'cancel' | 'retry' | 'delete'

type ChosenJob = { id: string; owner: string }

const IS_TASK = `feature <> '${RESPONSES}'`

/** What an action can be done with. A failed job is run again once, and only if its key could still submit it. */
const ALLOWED: Record<JobAction, string> = {
  cancel: 'finished_at IS NULL AND stop IS NULL',
  delete: `${IS_TASK} AND state IN ('success', 'fail')`,
  retry: `${IS_TASK} AND state = 'fail' AND EXISTS (SELECT 1 FROM job_requests WHERE job_id = jobs.id)
    AND NOT EXISTS (SELECT 1 FROM jobs AS next WHERE next.retry_of = jobs.id)
    AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.id = jobs.key_id
      AND (keys.revoked_at IS NOT NULL OR keys.expires_at <= now_ms()))`,
}

/** How many jobs that pass the filter the action can be done with. */
export async function countFor(db: Database, action: JobAction, filter: WatchFilter): Promise<number> {
  const values: Value[] = []
  const sql = `SELECT COUNT(*) AS count FROM jobs ${whereOf(action, filter, values)}`
  return (await db.report<{ count: number }>(sql, values))[0]!.count
}

/** The oldest of them. */
export async function chooseFor(
  db: Database,
  action: JobAction,
  { limit, ...filter }: WatchFilter & { limit: number },
): Promise<ChosenJob[]> {
  const values: Value[] = [limit]
  const sql = `SELECT id, owner FROM jobs ${whereOf(action, filter, values)} ORDER BY created_at, id LIMIT $1`
  return await db.query<ChosenJob>(sql, values)
}

/** Does it in one transaction, with those jobs that it can still be done with. Returns how many that were. */
export async function actOnJobs(
  db: Database,
  action: JobAction,
  jobs: readonly (ChosenJob & { newId: string })[],
): Promise<number> {
  const statements = jobs.flatMap((job) => STATEMENTS[action](job))
  const results = await db.transaction(statements)
  const each = statements.length / jobs.length
  return results.filter(({ changes }, index) => index % each === 0 && changes > 0).length
}

type Acted = ChosenJob & { newId: string }

/** The first statement of each says whether it was done. */
const STATEMENTS: Record<JobAction, (job: Acted) => Statement[]> = {
  cancel: ({ id }) => [{ sql: `UPDATE jobs SET stop = 'cancelled' WHERE id = $1 AND ${ALLOWED.cancel}`, values: [id] }],
  delete: ({ id }) => [
    { sql: `DELETE FROM jobs WHERE id = $1 AND ${ALLOWED.delete}`, values: [id] },
    {
      sql: `DELETE FROM deliveries WHERE job_id = $1 AND state <> 'pending'
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = $1)`,
      values: [id],
    },
  ],
  retry: ({ id, owner, newId }) => [
    {
      sql: `INSERT INTO jobs (id, ${OWNER_COLUMNS}, key_id, feature, subfeature, provider, model, show_original, webhook_url, state, turn,
          attempt, executions, created_at, end_user, retry_of, bytes)
        SELECT $1, ${OWNER_COLUMNS}, key_id, feature, subfeature, provider, model, show_original, webhook_url, 'queued',
          COALESCE((${nextRotation('$2')}), 0), 0, 0, now_ms(), end_user, id,
          COALESCE((SELECT octet_length(request) + COALESCE(octet_length(user_parameters), 0) FROM job_requests WHERE job_id = $3), 0)
        FROM jobs WHERE id = $3 AND ${ALLOWED.retry}`,
      values: [newId, owner, id],
    },
    {
      sql: `INSERT INTO job_requests (job_id, request, user_parameters)
        SELECT $1, request, user_parameters FROM job_requests
        WHERE job_id = $2 AND EXISTS (SELECT 1 FROM jobs WHERE id = $1)`,
      values: [newId, id],
    },
  ],
}

function whereOf(action: JobAction, filter: WatchFilter, values: Value[]): string {
  const where = conditions(values)
  where.add(ALLOWED[action])
  addJobFilter(where, filter)
  return where.where()
}
