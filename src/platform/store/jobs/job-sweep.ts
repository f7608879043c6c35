import type { Database, Statement } from '../database.ts'
import { insertDelivery, type NewDelivery } from '../deliveries/deliveries.ts'
import { BYTES_OF_EVENTS } from './job-runs.ts'
import { type JobSummary, RESPONSES } from './jobs.ts'
import { OWNER_FIELDS, type Owner } from '../owner.ts'
import { insertUsageOfJob } from '../ledger/usage.ts'
import type { LedgerLine } from '../ledger/ledger-line.ts'

/** A job that no worker may or can finish any more. */
export type ExhaustedJob = Owner &
  Pick<JobSummary, 'id' | 'feature' | 'subfeature' | 'provider' | 'model' | 'createdAt'> & {
    keyId: string
    startedAt: number
    reason: 'deadline' | 'executions'
    webhook: { url: string } | null
    userParameters: string | null
    finishedAt: number
  }

type Exhaustion = {
  maxExecutions: number
  /** How long a living worker has to write about a passed deadline itself. */
  graceMs: number
  limit: number
  /** The error that the owner reads, the ledger line, and the webhook. */
  end(job: ExhaustedJob): Promise<{ error: string; line: LedgerLine; delivery?: NewDelivery | undefined }>
  /** Told about every job that was failed here, and not by another process or its own worker meanwhile. */
  ended?(job: ExhaustedJob): void
}

type Row = Omit<ExhaustedJob, 'webhook'> & { attempt: number; webhookUrl: string | null }

const USED_UP = "state = 'running' AND lease_until < (SELECT steady_ms()) AND executions >= $1"
const TOO_LATE = 'finished_at IS NULL AND deadline_at < (SELECT steady_ms()) - $2'

/** Fails jobs that were started too often or take too long, with their webhooks. Returns how many jobs it looked at. */
export async function failExhausted(db: Database, exhaustion: Exhaustion): Promise<number> {
  const { maxExecutions, graceMs, limit } = exhaustion
  const sql = `SELECT id, ${OWNER_FIELDS}, feature, subfeature, provider, model, key_id AS "keyId", attempt, created_at AS "createdAt",
      started_at AS "startedAt",
      webhook_url AS "webhookUrl", user_parameters AS "userParameters",
      CASE WHEN started_at > now_ms() THEN started_at ELSE now_ms() END AS "finishedAt",
      CASE WHEN deadline_at < (SELECT steady_ms()) - $2 THEN 'deadline' ELSE 'executions' END AS "reason"
    FROM jobs LEFT JOIN job_requests ON job_requests.job_id = jobs.id
    WHERE id IN (
      SELECT id FROM (SELECT id FROM jobs WHERE ${USED_UP} LIMIT $3) AS used_up UNION ALL
      SELECT id FROM (SELECT id FROM jobs WHERE ${TOO_LATE} LIMIT $3) AS too_late
    ) LIMIT $3`
  const rows = await db.query<Row>(sql, [maxExecutions, graceMs, limit])
  for (const row of rows) await fail(db, row, exhaustion)
  return rows.length
}

/** Removes old jobs with their results, and returns how many were removed. */
export async function expireJobs(db: Database, { keepMs, limit }: { keepMs: number; limit: number }): Promise<number> {
  return await expire(db, `feature <> '${RESPONSES}'`, { keepMs, limit })
}

/** The same for responses that were made in the background. */
export async function expireResponses(db: Database, age: { keepMs: number; limit: number }): Promise<number> {
  const deleted = `DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE stop = 'deleted' AND finished_at IS NOT NULL LIMIT $1)`
  const [ended] = await db.transaction([{ sql: deleted, values: [age.limit] }])
  return Math.max(ended!.changes, await expire(db, `feature = '${RESPONSES}'`, age))
}

async function expire(db: Database, which: string, { keepMs, limit }: { keepMs: number; limit: number }) {
  const sql = `DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE ${which} AND finished_at < (SELECT now_ms()) - $1 ORDER BY finished_at LIMIT $2)`
  const [expired] = await db.transaction([{ sql, values: [keepMs, limit] }])
  return expired!.changes
}

/** Takes the next attempt number, so that the number of a worker that comes back to life is an old one. */
async function fail(db: Database, row: Row, { maxExecutions, graceMs, end, ended }: Exhaustion) {
  const job = toExhausted(row)
  const { error, line, delivery } = await end(job)
  const own = { id: row.id, attempt: row.attempt + 1, status: 'fail', finishedAt: row.finishedAt }
  const ending: Statement = {
    sql: `UPDATE jobs SET state = 'fail', error = $3, finished_at = $4, lease_until = NULL, attempt = attempt + 1,
        bytes = bytes + ${BYTES_OF_EVENTS}
      WHERE id = $5 AND attempt = $6 AND ((${USED_UP}) OR (${TOO_LATE}))`,
    values: [maxExecutions, graceMs, error, row.finishedAt, row.id, row.attempt],
  }
  const following = delivery ? insertDelivery(delivery, own) : []
  const [written] = await db.transaction([ending, ...following, ...insertUsageOfJob(db, line, own)])
  if (written!.changes > 0) ended?.(job)
}

function toExhausted({ attempt, webhookUrl, ...job }: Row): ExhaustedJob {
  return { ...job, webhook: webhookUrl === null ? null : { url: webhookUrl } }
}
