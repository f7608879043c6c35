import type { Database } from '../database.ts'
import { type JobSummary, type SummaryRow, SUMMARY, toSummary } from './jobs.ts'
import type { JobState } from './watched-jobs.ts'

/** What is longer is not shown: an operator looks at it, and no program reads it. */
const MAX_CHARS = 1_000_000

export type JobDetail = JobSummary & {
  state: JobState
  attempt: number
  /** The process that runs it, or ran it last. */
  worker: string | null
  /** Null unless it runs: whether the lease of the worker has run out. */
  isLost: number | null
  stop: string | null
  retryOf: string | null
  retriedAs: string | null
  webhookUrl: string | null
  deliveryId: string | null
  /** Whose key it is; null if the key is not in the store. */
  user: string | null
  hasRequest: number
}

type Row = Omit<JobDetail, 'cost'> & SummaryRow

const DETAIL = `${SUMMARY}, state, attempt, worker, stop, retry_of AS "retryOf", webhook_url AS "webhookUrl",
  CASE WHEN state = 'running' THEN CASE WHEN lease_until < steady_ms() THEN 1 ELSE 0 END END AS "isLost",
  (SELECT next.id FROM jobs AS next WHERE next.retry_of = jobs.id ORDER BY next.created_at LIMIT 1) AS "retriedAs",
  (SELECT deliveries.id FROM deliveries WHERE deliveries.job_id = jobs.id) AS "deliveryId",
  (SELECT user_id FROM keys WHERE keys.id = jobs.key_id) AS "user",
  CASE WHEN EXISTS (SELECT 1 FROM job_requests WHERE job_id = jobs.id) THEN 1 ELSE 0 END AS "hasRequest"`

export async function findJobDetail(db: Database, id: string): Promise<JobDetail | undefined> {
  const [row] = await db.query<Row>(`SELECT ${DETAIL} FROM jobs WHERE id = $1`, [id])
  return row && toSummary(row)
}

/** The texts of what went in and what came out; undefined if there is none, null if it is too long. */
type JobContent = { request: string | null | undefined; output: string | null | undefined }

export async function readJobContent(db: Database, id: string): Promise<JobContent> {
  const short = (column: string) => `CASE WHEN LENGTH(${column}) <= ${MAX_CHARS} THEN ${column} END AS text`
  const [request] = await db.query<{ text: string | null }>(
    `SELECT ${short('request')} FROM job_requests WHERE job_id = $1`,
    [id],
  )
  const [output] = await db.query<{ text: string | null }>(
    `SELECT ${short('output')} FROM job_results WHERE job_id = $1 AND output IS NOT NULL`,
    [id],
  )
  return { request: request?.text, output: output?.text }
}
