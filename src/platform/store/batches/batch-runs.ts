import type { ClaimCapacity } from '../../../base/fairness/claim-capacity.ts'
import type { Database, Statement } from '../database.ts'
import { distinctOwners } from '../distinct-owners.ts'
import { insertDelivery, type NewDelivery } from '../deliveries/deliveries.ts'
import { skipLocked } from '../skip-locked.ts'
import {
  BATCH_FIELDS,
  type BatchEnding,
  type BatchProblem,
  type BatchRow,
  type BatchState,
  changesOne,
  type StoredBatch,
  toBatch,
} from './batches.ts'

// How batches are run. A claim gives out a lease and an attempt number, as for jobs, and every write about a batch names the attempt.
// A process works on a batch for a turn and gives it back, so that owners, and the batches of an owner, share the processes.

export type ClaimedBatch = StoredBatch & {
  attempt: number
  /** On the steady clock of the store, which showed `steadyAt` at the claim. */
  deadlineAt: number
  steadyAt: number
}

/** Identifies the attempt that may write about a batch. */
export type BatchFence = Pick<ClaimedBatch, 'id' | 'attempt'>

type Claim = ClaimCapacity & { worker: string; leaseMs: number }

const CLAIMED = `${BATCH_FIELDS}, attempt, deadline_at AS "deadlineAt", steady_ms() AS "steadyAt"`
/** A pause with a reason ends early if the time of the batch is over. Cancelling a batch ends its pause. */
const READY = `ended_at IS NULL AND (lease_until IS NULL OR lease_until < (SELECT steady_ms()))
  AND (resume_at IS NULL OR resume_at <= (SELECT steady_ms()) OR (paused_reason IS NOT NULL AND deadline_at <= (SELECT steady_ms())))`
export const FENCED = 'id = $1 AND attempt = $2 AND lease_until IS NOT NULL'
/** As many as there can be. */
const ANY = 1_000_000

/** One batch of each owner that has few enough here: the one that has waited longest for its turn. The owner that has waited longest comes first. */
export async function claimBatches(
  db: Database,
  { worker, leaseMs, limit, maxRunning = ANY }: Claim,
): Promise<ClaimedBatch[]> {
  const sql = `WITH RECURSIVE ${distinctOwners('batches WHERE ended_at IS NULL')}, busy AS MATERIALIZED (
      SELECT owner FROM batches WHERE ended_at IS NULL AND worker = $2 AND lease_until > 0 GROUP BY owner HAVING COUNT(*) > $4
    ), firsts AS MATERIALIZED (
      SELECT (SELECT id FROM batches WHERE ${READY} AND batches.owner = owners.owner ORDER BY turn_at, id LIMIT 1) AS id,
        (SELECT MAX(turn_at) FROM batches WHERE ended_at IS NULL AND batches.owner = owners.owner) AS latest
      FROM owners WHERE owner NOT IN (SELECT owner FROM busy)
    ), chosen AS MATERIALIZED (
      SELECT id FROM firsts WHERE id IS NOT NULL ORDER BY latest LIMIT $1
    ), picked AS MATERIALIZED (
      SELECT id FROM batches WHERE ${READY} AND id IN (SELECT id FROM chosen) ${skipLocked(db)}
    ) UPDATE batches SET attempt = attempt + 1, worker = $2, lease_until = steady_ms() + $3, turn_at = steady_ms(), paused_reason = NULL,
      resume_at = NULL WHERE id IN (SELECT id FROM picked) RETURNING ${CLAIMED}`
  const rows = await db.query<BatchRow & Omit<ClaimedBatch, keyof StoredBatch>>(sql, [
    limit,
    worker,
    leaseMs,
    maxRunning,
  ])
  return rows.map(({ attempt, deadlineAt, steadyAt, ...row }) => ({ ...toBatch(row), attempt, deadlineAt, steadyAt }))
}

/** The state of the batch, if it still belongs to this attempt. */
export async function renewBatch(
  db: Database,
  { id, attempt, leaseMs }: BatchFence & { leaseMs: number },
): Promise<BatchState | 'lost'> {
  const sql = `UPDATE batches SET lease_until = steady_ms() + $3 WHERE ${FENCED} RETURNING state`
  const [row] = await db.query<{ state: BatchState }>(sql, [id, attempt, leaseMs])
  return row?.state ?? 'lost'
}

/**
 * Gives the batch back, so that it, or another batch, gets the next turn. With a pause, no line is asked for a while; without a reason, it
 * is that of providers who work on lines.
 */
export async function giveBack(
  db: Database,
  { id, attempt }: BatchFence,
  pause?: { reason: string | null; forMs: number },
): Promise<boolean> {
  return await changesOne(db, {
    sql: `UPDATE batches SET worker = NULL, lease_until = NULL, paused_reason = CASE WHEN state = 'in_progress' THEN CAST($3 AS TEXT) END,
      resume_at = steady_ms() + CAST($4 AS BIGINT) WHERE ${FENCED}`,
    values: [id, attempt, pause?.reason ?? null, pause?.forMs ?? null],
  })
}

/** All lines are known and valid. Not if the owner has cancelled the batch in the meantime. */
export async function beginAsking(db: Database, { id, attempt }: BatchFence, total: number): Promise<boolean> {
  return await changesOne(db, {
    sql: `UPDATE batches SET state = 'in_progress', in_progress_at = now_ms(), total = $3 WHERE ${FENCED} AND state = 'validating'`,
    values: [id, attempt, total],
  })
}

/** The lines are not valid, so none of them is asked. */
export async function failValidation(
  db: Database,
  { id, attempt }: BatchFence,
  problems: readonly BatchProblem[],
  delivery: NewDelivery | undefined,
): Promise<boolean> {
  const failing: Statement = {
    sql: `UPDATE batches SET state = 'failed', ending = 'failed', problems = $3, ended_at = now_ms(), worker = NULL, lease_until = NULL
      WHERE ${FENCED} AND state = 'validating'`,
    values: [id, attempt, JSON.stringify(problems)],
    required: true,
  }
  const [failed] = await db.transaction([
    failing,
    ...withoutLines(id),
    ...delivered(delivery, { id, attempt }, 'failed'),
  ])
  return failed!.changes > 0
}

type Closing = { ending: BatchEnding; outputFile: string; errorFile: string; problem?: BatchProblem | undefined }

/**
 * No line is asked any more: those that are open are cancelled or expired. The files with the answers get their ids here, so that a
 * process that dies while it writes them leaves none that is unknown.
 */
export async function beginFinalizing(db: Database, { id, attempt }: BatchFence, closing: Closing): Promise<boolean> {
  const { ending, outputFile, errorFile, problem } = closing
  const outcome = ending === 'expired' ? 'expired' : 'cancelled'
  const [changed] = await db.transaction([
    {
      sql: `UPDATE batches SET state = 'finalizing', finalizing_at = now_ms(), ending = $3, output_file = $4, error_file = $5,
          problems = CAST($6 AS TEXT),
          total = CASE WHEN in_progress_at IS NULL THEN (SELECT COUNT(*) FROM batch_lines WHERE batch_id = $1) ELSE total END WHERE ${FENCED} AND state IN ('validating', 'in_progress', 'cancelling')`,
      values: [id, attempt, ending, outputFile, errorFile, problem ? JSON.stringify([problem]) : null],
      required: true,
    },
    { sql: 'UPDATE batch_lines SET outcome = $2 WHERE batch_id = $1 AND outcome IS NULL', values: [id, outcome] },
    countOutcomes({ id, attempt }),
  ])
  return changed!.changes > 0
}

type Ended = { ending: BatchEnding; outputFile: string | null; errorFile: string | null }

/** The answers are in files. */
export async function endBatch(
  db: Database,
  { id, attempt }: BatchFence,
  { ending, outputFile, errorFile }: Ended,
  delivery: NewDelivery | undefined,
): Promise<boolean> {
  const ended: Statement = {
    sql: `UPDATE batches SET state = $3, output_file = $4, error_file = $5, ended_at = now_ms(), worker = NULL, lease_until = NULL, bytes = 0
      WHERE ${FENCED} AND state = 'finalizing'`,
    values: [id, attempt, ending, outputFile, errorFile],
    required: true,
  }
  const [changed] = await db.transaction([ended, ...delivered(delivery, { id, attempt }, ending), ...withoutLines(id)])
  return changed!.changes > 0
}

/** Progress, from what the lines say. */
export function countOutcomes({ id, attempt }: BatchFence): Statement {
  const count = (outcome: string) => `(SELECT COUNT(*) FROM batch_lines WHERE batch_id = $1 AND outcome = '${outcome}')`
  return {
    sql: `UPDATE batches SET succeeded = ${count('succeeded')}, errored = ${count('errored')}, cancelled = ${count('cancelled')},
      expired = ${count('expired')},
      bytes = (SELECT COALESCE(SUM(bytes), 0) FROM batch_lines WHERE batch_id = $1 AND outcome IS NOT NULL) WHERE ${FENCED}`,
    values: [id, attempt],
  }
}

function withoutLines(id: string): Statement[] {
  return [{ sql: 'DELETE FROM batch_lines WHERE batch_id = $1', values: [id] }]
}

function delivered(delivery: NewDelivery | undefined, { id, attempt }: BatchFence, status: string): Statement[] {
  return delivery ? insertDelivery(delivery, { id, attempt, status }, 'batches') : []
}
