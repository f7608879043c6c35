import type { JobStatus } from '../../../contract/universal.ts'
import { conditions } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import { toDollars } from '../ledger/money.ts'
import { OWNER_COLUMNS, OWNER_FIELDS, type Owner, ownerPlaceholders, ownerValues } from '../owner.ts'
import { scanFairly } from '../owner-scans.ts'
import { writeJson } from '../../../translation/json/written-numbers.ts'

// Jobs as their owners and the operator see them. How they are run is in job-runs.ts.

export type NewJob = Owner & {
  id: string
  keyId: string
  /** Whom the job is about, as the caller names that person. */
  endUser?: string | null
  feature: string
  subfeature: string
  provider: string
  model: string | null
  /** What the execution needs, as JSON. The store does not look into it. */
  request: unknown
  showOriginal: boolean
  webhook: { url: string } | null
  /** JSON as the caller wrote it, because parsing it would change some numbers. */
  userParameters: string | null
  /** A second submission by the same owner with the same key returns the first job, if its body has the same hash. */
  idempotency: { key: string; bodyHash: string } | null
}

export type JobSummary = Owner &
  Pick<NewJob, 'id' | 'keyId' | 'feature' | 'subfeature' | 'provider' | 'model'> & {
    status: JobStatus
    cost: number | null
    /** The error message of a failed job. */
    error: string | null
    /** How often the job was started, without the starts that a shutdown took back. */
    executions: number
    createdAt: number
    startedAt: number | null
    finishedAt: number | null
  }

export type StoredJob = JobSummary &
  Pick<NewJob, 'showOriginal' | 'userParameters'> & { output: unknown; original: unknown }

/** The result of a repeated job may be large, so it is not read here. */
type Submission = { outcome: 'created'; job: StoredJob } | { outcome: 'repeated'; id: string } | { outcome: 'conflict' }

type JobFilter = {
  feature?: string | undefined
  subfeature?: string | undefined
  status?: JobStatus | undefined
}

export type SummaryRow = Omit<JobSummary, 'cost'> & { costNanos: number | null }

type StoredRow = SummaryRow &
  Pick<NewJob, 'userParameters'> & { showOriginal: number; output: string | null; original: string | null }

/** The feature of jobs that make responses in the background. Their owners see them as responses, and not as jobs. */
export const RESPONSES = 'responses'
const IS_TASK = `feature <> '${RESPONSES}'`

const STATUS = "CASE WHEN state IN ('queued', 'running') THEN 'processing' ELSE state END"
export const SUMMARY = `id, ${OWNER_FIELDS}, key_id AS "keyId", feature, subfeature, provider, model, ${STATUS} AS "status", cost_nanos AS "costNanos", error,
  executions, created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"`
const WHOLE = `${SUMMARY}, show_original AS "showOriginal", output, original,
  (SELECT user_parameters FROM job_requests WHERE job_id = jobs.id) AS "userParameters"`
const WITH_RESULTS = 'jobs LEFT JOIN job_results ON job_results.job_id = jobs.id'

/** The rotation that is next in the queue, if any job waits. Its number is in the column `turn`. */
export const CURRENT_ROTATION = "SELECT MIN(waiting.turn) AS turn FROM jobs AS waiting WHERE waiting.state = 'queued'"

// Rotations make the queue fair: an owner's next job comes one rotation after its last waiting job, and never before the
// current one. So a newcomer's jobs interleave with those of an owner who has thousands waiting, and a claim is a plain walk
// along an index, however many owners there are.
export const nextRotation = (owner: string) => `SELECT MAX(places.turn) FROM (
    SELECT MAX(mine.turn) + 1 AS turn FROM jobs AS mine WHERE mine.state = 'queued' AND mine.owner = ${owner}
    UNION ALL ${CURRENT_ROTATION}
  ) AS places`

/**
 * Several simultaneous submissions with one idempotency key create one job. `more` is written together with the job, and only
 * for jobs without such a key.
 */
export async function submitJob(
  db: Database,
  job: NewJob,
  more: { statements: readonly Statement[]; bytes: number } = { statements: [], bytes: 0 },
): Promise<Submission> {
  const request = writeJson(job.request)
  const bytes = Buffer.byteLength(request) + Buffer.byteLength(job.userParameters ?? '') + more.bytes
  const earlier = job.idempotency ? [findByIdempotencyKey(job.owner, job.idempotency.key)] : more.statements
  // Of two submissions with the same key, the second waits for the end of the first.
  const together = !job.idempotency
  const statements = [insertJob(job, bytes), insertRequest(job, request), ...earlier]
  const [inserted, , found] = await db.transaction(statements, { together })
  const created = inserted!.rows[0] as SummaryRow | undefined
  const { showOriginal, userParameters } = job
  if (created) {
    const stored = { ...toSummary(created), showOriginal, userParameters, output: null, original: null }
    return { outcome: 'created', job: stored }
  }
  const row = found?.rows[0] as { id: string; bodyHash: string } | undefined
  if (!row) throw new Error('A job with this id already exists')
  return row.bodyHash === job.idempotency!.bodyHash ? { outcome: 'repeated', id: row.id } : { outcome: 'conflict' }
}

/** How many jobs of an owner wait. Each of them has a turn of its own, so nothing has to be counted. */
export async function waitingJobsOf(db: Database, owner: string): Promise<number> {
  const end = (which: 'MIN' | 'MAX') => `(SELECT ${which}(turn) FROM jobs WHERE owner = $1 AND state = 'queued')`
  const [row] = await db.query<{ waiting: number }>(
    `SELECT COALESCE(${end('MAX')} - ${end('MIN')} + 1, 0) AS waiting`,
    [owner],
  )
  return Number(row?.waiting ?? 0)
}

/** Whether a job of this owner has this idempotency key. */
export async function isSubmitted(db: Database, owner: string, key: string): Promise<boolean> {
  const { sql, values } = findByIdempotencyKey(owner, key)
  return (await db.query(sql, values)).length > 0
}

export async function getJob(db: Database, owner: string, id: string): Promise<StoredJob | undefined> {
  const sql = `SELECT ${WHOLE} FROM ${WITH_RESULTS} WHERE id = $1 AND owner = $2 AND ${IS_TASK}`
  const [row] = await db.query<StoredRow>(sql, [id, owner])
  return row && toJob(row)
}

/** The length of a job's result, for callers that have to count memory before they read it. */
export async function resultCharsOf(db: Database, owner: string, id: string): Promise<number> {
  const length = 'COALESCE(LENGTH(output), 0) + COALESCE(LENGTH(original), 0)'
  const sql = `SELECT ${length} AS "chars" FROM ${WITH_RESULTS} WHERE id = $1 AND owner = $2`
  const [row] = await db.query<{ chars: number }>(sql, [id, owner])
  return Number(row?.chars ?? 0)
}

/** The ids of an owner's jobs between two ids, both included: at most two, because more than one are none that is meant. */
export async function jobsBetween(
  db: Database,
  owner: string,
  { from, to }: { from: string; to: string },
): Promise<string[]> {
  const sql = `SELECT id FROM jobs WHERE id >= $1 AND id <= $2 AND owner = $3 AND ${IS_TASK} LIMIT 2`
  return (await db.query<{ id: string }>(sql, [from, to, owner])).map(({ id }) => id)
}

/** Newest first. */
export async function listJobs(
  db: Database,
  owner: string,
  { page, limit, ...filter }: JobFilter & { page: number; limit: number },
): Promise<{ jobs: JobSummary[]; total: number }> {
  const counted = filtered([], owner, filter)
  const listed = filtered([limit, (page - 1) * limit], owner, filter)
  const order = 'ORDER BY created_at DESC, id DESC LIMIT $1 OFFSET $2'
  const statements = [
    { sql: `SELECT COUNT(*) AS total FROM jobs ${counted.where}`, values: counted.values },
    { sql: `SELECT ${SUMMARY} FROM jobs ${listed.where} ${order}`, values: listed.values },
  ]
  const [count, rows] = await scanFairly(db, owner, () => db.transaction(statements))
  return { jobs: (rows!.rows as SummaryRow[]).map(toSummary), total: count!.rows[0]!.total as number }
}

/**
 * A job that waits or runs is not deleted, because it may have been charged already. A webhook that was promised is sent
 * even if its job is deleted.
 */
export async function deleteJob(db: Database, owner: string, id: string): Promise<'deleted' | 'running' | 'unknown'> {
  const values = [id, owner]
  const [removed, remaining] = await db.transaction([
    { sql: `DELETE FROM jobs WHERE id = $1 AND owner = $2 AND ${IS_TASK} AND state IN ('success', 'fail')`, values },
    { sql: `SELECT id FROM jobs WHERE id = $1 AND owner = $2 AND ${IS_TASK}`, values },
    {
      sql: `DELETE FROM deliveries WHERE job_id = $1 AND owner = $2 AND state <> 'pending'
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = $1)`,
      values,
    },
  ])
  if (removed!.changes > 0) return 'deleted'
  return remaining!.rows.length > 0 ? 'running' : 'unknown'
}

function insertJob(job: NewJob, bytes: number): Statement {
  const sql = `INSERT INTO jobs (id, key_id, feature, subfeature, provider, model, show_original, webhook_url,
      idempotency_key, body_hash, end_user, bytes, ${OWNER_COLUMNS}, state, turn, attempt, executions, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, ${ownerPlaceholders(13)},
      'queued', COALESCE((${nextRotation('$16')}), 0), 0, 0, now_ms())
    ON CONFLICT DO NOTHING RETURNING ${SUMMARY}`
  const { id, keyId, feature, subfeature, provider, model, showOriginal, webhook, idempotency } = job
  const flags = [showOriginal ? 1 : 0, webhook?.url ?? null, idempotency?.key ?? null, idempotency?.bodyHash ?? null]
  const about = [id, keyId, feature, subfeature, provider, model, ...flags, job.endUser ?? null, bytes]
  return { sql, values: [...about, ...ownerValues(job)] }
}

/** Belongs to the job that was created. Inserts nothing if an earlier job was found. */
function insertRequest({ id, userParameters }: NewJob, request: string): Statement {
  const sql = `INSERT INTO job_requests (job_id, request, user_parameters)
    SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = $1) ON CONFLICT DO NOTHING`
  return { sql, values: [id, request, userParameters] }
}

function findByIdempotencyKey(owner: string, key: string): Statement {
  const sql = 'SELECT id, body_hash AS "bodyHash" FROM jobs WHERE owner = $1 AND idempotency_key = $2'
  return { sql, values: [owner, key] }
}

function filtered(values: Value[], owner: string, { feature, subfeature, status }: JobFilter) {
  const { add, where } = conditions(values)
  add('owner = ?', [owner])
  add(IS_TASK)
  if (feature !== undefined) add('feature = ?', [feature])
  if (subfeature !== undefined) add('subfeature = ?', [subfeature])
  if (status === 'processing') add('finished_at IS NULL')
  else if (status !== undefined) add('state = ?', [status])
  return { where: where(), values }
}

function toJob({ output, original, showOriginal, ...row }: StoredRow): StoredJob {
  return { ...toSummary(row), showOriginal: showOriginal === 1, output: parsed(output), original: parsed(original) }
}

export function toSummary<Row extends SummaryRow>({ costNanos, ...row }: Row) {
  return { ...row, cost: costNanos === null ? null : toDollars(costNanos) }
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
