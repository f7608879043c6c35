import { conditions } from '../conditions.ts'
import type { Database } from '../database.ts'
import { scanFairly } from '../owner-scans.ts'
import { type JobSummary, SUMMARY, type SummaryRow, toSummary } from './jobs.ts'

// Jobs of one task with what was asked, for endpoints that show them as objects of another kind.

/** `request`: JSON; null if it is too long to be read for each job of a list. */
export type AskedJob = JobSummary & { request: string | null }

type Task = { feature: string; subfeature: string }

const MAX_CHARS = 64 * 1024
const ASKED = `${SUMMARY}, (SELECT CASE WHEN LENGTH(request) <= ${MAX_CHARS} THEN request END
  FROM job_requests WHERE job_id = jobs.id) AS "request"`

export async function findAskedJob(
  db: Database,
  owner: string,
  { id, feature, subfeature }: Task & { id: string },
): Promise<AskedJob | undefined> {
  const sql = `SELECT ${ASKED} FROM jobs WHERE id = $1 AND owner = $2 AND feature = $3 AND subfeature = $4`
  const [row] = await db.query<SummaryRow & { request: string | null }>(sql, [id, owner, feature, subfeature])
  return row && toSummary(row)
}

type Page = Task & { order: 'asc' | 'desc'; limit: number; after: AskedJob | undefined }

/** Those behind a job, in the order of their creation. */
export async function listAskedJobs(
  db: Database,
  owner: string,
  { feature, subfeature, order, limit, after }: Page,
): Promise<AskedJob[]> {
  const values = [limit]
  const { add, where } = conditions(values)
  add('owner = ?', [owner])
  add('feature = ? AND subfeature = ?', [feature, subfeature])
  const sign = order === 'asc' ? '>' : '<'
  if (after) {
    const { createdAt, id } = after
    add(`(created_at ${sign} ? OR (created_at = ? AND id ${sign} ?))`, [createdAt, createdAt, id])
  }
  const sql = `SELECT ${ASKED} FROM jobs ${where()} ORDER BY created_at ${order}, id ${order} LIMIT $1`
  const rows = await scanFairly(db, owner, () => db.query<SummaryRow & { request: string | null }>(sql, values))
  return rows.map(toSummary)
}
