import type { ClaimCapacity } from '../../../base/fairness/claim-capacity.ts'
import type { Database, Statement, Value } from '../database.ts'
import { toNanos } from '../ledger/money.ts'
import { insertDelivery, type NewDelivery } from '../deliveries/deliveries.ts'
import { OWNER_FIELDS } from '../owner.ts'
import { CURRENT_ROTATION, type NewJob, RESPONSES } from './jobs.ts'
import { skipLocked } from '../skip-locked.ts'
import { distinctOwners } from '../distinct-owners.ts'
import { type EndedJob, insertUsageOfJob } from '../ledger/usage.ts'
import type { LedgerLine } from '../ledger/ledger-line.ts'
import { parseWritten } from '../../../translation/json/written-numbers.ts'

// How jobs are run. A claim gives out a lease and an attempt number. Every write about a job names the attempt, and the
// store refuses writes from an earlier attempt. The attempt number only grows; `executions` counts the starts that are
// limited. All times are the store's, so that the clocks of the workers do not matter; leases and deadlines are on its steady
// clock, which does not jump.

export type ClaimedJob = Omit<NewJob, 'idempotency'> & {
  /**
   * Undefined if the request is large: several jobs are claimed at once, and `readRequest` loads a large one when there is
   * memory for it.
   */
  request: unknown
  /** The length of the request as JSON. */
  requestChars: number
  attempt: number
  executions: number
  /** What a slow provider handed out to fetch the result with, if an earlier execution got that far. */
  ticket: unknown
  /** Set if the owner wants the job to stop. */
  stop: Stop | null
  createdAt: number
  /** Not before `createdAt`, even if the clock went back. */
  claimedAt: number
  /** On the steady clock of the store, which showed `steadyAt` at the claim. */
  deadlineAt: number
  steadyAt: number
}

export type Stop = 'cancelled' | 'deleted'

export type Claim = ClaimCapacity & {
  worker: string
  leaseMs: number
  /** The time from the first start of a job until it fails, whatever it is doing. */
  deadlineMs: number
  /** The same for a response in the background. */
  responseDeadlineMs?: number
  maxExecutions: number
}

/** Identifies the attempt that may write about a job. */
export type Fence = { id: string; attempt: number }

export type FinishedRun = Fence & {
  status: 'success' | 'fail'
  output: unknown
  error: string | null
  cost: number | null
  provider: string
  model: string | null
  original: unknown
  finishedAt: number
  /** The line of the job in the ledger. */
  line: LedgerLine
  /** What else is written, if this run ends the job. */
  also?: ((ended: EndedJob) => Statement[]) | undefined
}

/** A result that is JSON already. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type ClaimedRow = Omit<ClaimedJob, 'request' | 'ticket' | 'showOriginal' | 'webhook'> & {
  request: string | null
  ticket: string | null
  showOriginal: number
  webhookUrl: string | null
}

const LARGE_CHARS = 64 * 1024
const CLAIMED = `id, ${OWNER_FIELDS}, key_id AS "keyId", feature, subfeature, provider, model, show_original AS "showOriginal",
  webhook_url AS "webhookUrl", attempt, executions, ticket, stop, created_at AS "createdAt", 
  CASE WHEN started_at > now_ms() THEN started_at ELSE now_ms() END AS "claimedAt",
  deadline_at AS "deadlineAt", steady_ms() AS "steadyAt",
  (SELECT CASE WHEN LENGTH(request) <= ${LARGE_CHARS} THEN request END FROM job_requests WHERE job_id = jobs.id) AS "request",
  (SELECT LENGTH(request) FROM job_requests WHERE job_id = jobs.id) AS "requestChars",
  (SELECT user_parameters FROM job_requests WHERE job_id = jobs.id) AS "userParameters"`

const TO_THE_FRONT = `state = 'queued', worker = NULL, lease_until = NULL, turn = COALESCE((${CURRENT_ROTATION}), turn)`
const WAITING = "state = 'queued' AND (deadline_at IS NULL OR deadline_at > (SELECT steady_ms()))"
const FENCED = "WHERE id = $1 AND attempt = $2 AND state = 'running'"

/** Events are written while a job runs, and counted when it ends. */
export const BYTES_OF_EVENTS =
  'COALESCE((SELECT SUM(octet_length(events)) FROM response_events WHERE job_id = jobs.id), 0)'

/** Claims jobs that wait, in the order of their rotations, and jobs whose lease has run out. */
export async function claimJobs(db: Database, claim: Claim): Promise<ClaimedJob[]> {
  const [, claimed] = await db.transaction([takeBackLost(db, claim), takeNext(db, claim)])
  return (claimed!.rows as ClaimedRow[]).map(toClaimed).sort((one, other) => one.createdAt - other.createdAt)
}

/** The request of a job as JSON, of any size. */
export async function readRequest(db: Database, id: string): Promise<string> {
  const rows = await db.query<{ request: string }>('SELECT request FROM job_requests WHERE job_id = $1', [id])
  if (!rows[0]) throw new Error('There is no job with this id')
  return rows[0].request
}

/** Says whether the job still belongs to this attempt, and whether its owner wants it to stop. */
export async function renewLease(
  db: Database,
  { id, attempt, leaseMs }: Fence & { leaseMs: number },
): Promise<'renewed' | 'lost' | Stop> {
  const sql = `UPDATE jobs SET lease_until = steady_ms() + $3 ${FENCED} RETURNING stop`
  const [row] = await db.query<{ stop: Stop | null }>(sql, [id, attempt, leaseMs])
  return row ? (row.stop ?? 'renewed') : 'lost'
}

export async function saveTicket(db: Database, { id, attempt, ticket }: Fence & { ticket: unknown }): Promise<boolean> {
  return changesOne(db, `UPDATE jobs SET ticket = $3 ${FENCED}`, [id, attempt, JSON.stringify(ticket ?? null)])
}

/** Puts a job back into the queue at once, as if this execution had never started. */
export async function releaseJob(db: Database, { id, attempt }: Fence): Promise<boolean> {
  const sql = `UPDATE jobs SET ${TO_THE_FRONT}, executions = executions - 1, deadline_at = NULL ${FENCED}`
  return changesOne(db, sql, [id, attempt])
}

/**
 * Writes the end of a job, its result, its ledger line and its webhook, all or nothing. Returns false if the job no longer
 * belongs to this attempt. Writing the same end again changes nothing and returns true: the answer to the first time may
 * have been lost.
 */
export async function finishJob(db: Database, run: FinishedRun, delivery?: NewDelivery): Promise<boolean> {
  const { id, attempt, status, error, cost, provider, model, finishedAt } = run
  const output = toText(run.output)
  const original = toText(run.original)
  const sql = `UPDATE jobs SET state = $3, error = $4, cost_nanos = $5, provider = $6, model = $7, finished_at = $8,
    bytes = bytes + CAST($9 AS BIGINT) + ${BYTES_OF_EVENTS}, lease_until = NULL ${FENCED}`
  const bytes = Buffer.byteLength(output ?? '') + Buffer.byteLength(original ?? '')
  const values = [id, attempt, status, error, toNanos(cost), provider, model, finishedAt, bytes]
  const following = [...(delivery ? insertDelivery(delivery, run) : []), ...(run.also?.(run) ?? [])]
  // The limits come last, because every job that ends may write to the same ones and wait for the one before.
  const line = insertUsageOfJob(db, run.line, run)
  const together = !run.also && !run.line.charges
  const result = insertResult(run, { output, original })
  const [ended] = await db.transaction([{ sql, values }, result, ...following, ...line], { together })
  return ended!.changes > 0 || (await hasEnded(db, run))
}

/** Lost jobs come first in the current turn, because they have waited longest. */
function takeBackLost(db: Database, { maxExecutions, limit }: Claim): Statement {
  // As a query of its own, it reads the clock once, and PostgreSQL can use an index.
  const sql = `WITH lost AS MATERIALIZED (
      SELECT id FROM jobs WHERE state = 'running' AND lease_until < (SELECT steady_ms()) AND executions < $1
        AND deadline_at > (SELECT steady_ms()) ORDER BY lease_until LIMIT $2 ${skipLocked(db)}
    ) UPDATE jobs SET ${TO_THE_FRONT} WHERE id IN (SELECT id FROM lost)`
  return { sql, values: [maxExecutions, limit] }
}

function takeNext(db: Database, claim: Claim): Statement {
  const { worker, leaseMs, deadlineMs, responseDeadlineMs = deadlineMs, limit, maxRunning } = claim
  const next = maxRunning === undefined ? nextOfAll(db) : nextOfOthers(db)
  const sql = `${next} UPDATE jobs SET state = 'running', attempt = attempt + 1, executions = executions + 1, worker = $2,
      lease_until = steady_ms() + $3, deadline_at = COALESCE(deadline_at, steady_ms() + CASE WHEN feature = '${RESPONSES}' THEN CAST($5 AS BIGINT) ELSE CAST($4 AS BIGINT) END),
      started_at = COALESCE(started_at, CASE WHEN created_at > now_ms() THEN created_at ELSE now_ms() END)
    WHERE id IN (SELECT id FROM picked) RETURNING ${CLAIMED}`
  const values = [limit, worker, leaseMs, deadlineMs, responseDeadlineMs]
  return { sql, values: maxRunning === undefined ? values : [...values, maxRunning] }
}

function nextOfAll(db: Database): string {
  return `WITH picked AS MATERIALIZED (
      SELECT id FROM jobs WHERE ${WAITING} ORDER BY turn, created_at, id LIMIT $1 ${skipLocked(db)}
    )`
}

/**
 * One job of each owner that has few enough running here. It goes from owner to owner, so the cost does not depend on how
 * many jobs one owner has. The part that an index chooses is a materialized expression of its own; otherwise SQLite would
 * walk along another index that is in order.
 */
function nextOfOthers(db: Database): string {
  return `WITH RECURSIVE ${distinctOwners("jobs WHERE state = 'queued'")},
    running AS MATERIALIZED (
      SELECT owner FROM jobs WHERE state = 'running' AND lease_until > 0 AND worker = $2
    ), busy AS MATERIALIZED (
      SELECT owner FROM running GROUP BY owner HAVING COUNT(*) > $6
    ), firsts AS MATERIALIZED (
      SELECT (SELECT id FROM jobs WHERE ${WAITING} AND jobs.owner = owners.owner ORDER BY turn LIMIT 1) AS id
      FROM owners WHERE owner NOT IN (SELECT owner FROM busy)
    ), chosen AS MATERIALIZED (
      SELECT jobs.id FROM firsts CROSS JOIN jobs WHERE jobs.id = firsts.id ORDER BY turn, created_at, jobs.id LIMIT $1
    ), picked AS MATERIALIZED (
      SELECT id FROM jobs WHERE ${WAITING} AND id IN (SELECT id FROM chosen) ${skipLocked(db)}
    )`
}

/**
 * Comes after the statement that ends the job, and finds the job in that state and with that attempt only if it was ended
 * here.
 */
function insertResult(
  { id, attempt, status }: FinishedRun,
  { output, original }: { output: string | null; original: string | null },
): Statement {
  const sql = `INSERT INTO job_results (job_id, output, original)
    SELECT $1, $4, $5 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND attempt = $2 AND state = $3)
    ON CONFLICT (job_id) DO NOTHING`
  return { sql, values: [id, attempt, status, output, original] }
}

/** Whether exactly this end was written before. */
async function hasEnded(db: Database, { id, attempt, status, finishedAt }: FinishedRun): Promise<boolean> {
  const sql = 'SELECT 1 FROM jobs WHERE id = $1 AND attempt = $2 AND state = $3 AND finished_at = $4'
  return (await db.query(sql, [id, attempt, status, finishedAt])).length > 0
}

async function changesOne(db: Database, sql: string, values: Value[]): Promise<boolean> {
  const [result] = await db.transaction([{ sql, values }])
  return result!.changes > 0
}

function toClaimed({ webhookUrl, ...row }: ClaimedRow): ClaimedJob {
  return {
    ...row,
    request: row.request === null ? undefined : parseWritten(row.request),
    ticket: row.ticket === null ? null : JSON.parse(row.ticket),
    showOriginal: row.showOriginal === 1,
    webhook: webhookUrl === null ? null : { url: webhookUrl },
  }
}

function toText(value: unknown): string | null {
  if (value instanceof JsonText) return value.text
  return value === undefined || value === null ? null : JSON.stringify(value)
}
