import { numberedPlaceholders } from '../conditions.ts'
import type { Database } from '../database.ts'
import { readGuardrailRuns } from '../ledger/guardrail-runs.ts'

// What the rules of alerts look at. Every question reads a bounded number of rows, however large the tables are.

/** With more calls, jobs or webhooks than these in the time, the newest ones are looked at. */
const MAX_ROWS = 10_000
const MAX_KEYS = 200

type CallCounts = { calls: number; failed: number }

/** 1 for calls that the gateway or a provider could not answer. What a caller got wrong, or broke off, is no reason for an alert. */
const UNANSWERED = `CASE WHEN status >= 500 OR code = 'rate_limited' OR (status < 400 AND code IS NOT NULL) THEN 1 ELSE 0 END`

/** Calls since a moment. The sandbox fails on purpose, so it does not count. */
export async function countCalls(db: Database, since: number): Promise<CallCounts> {
  const sql = `SELECT COUNT(*) AS calls, COALESCE(SUM(${UNANSWERED}), 0) AS failed FROM (
    SELECT status, code, provider FROM usage WHERE at >= $1 ORDER BY at DESC LIMIT ${MAX_ROWS}) AS newest
    WHERE provider <> 'sandbox'`
  const [row] = await db.report<CallCounts>(sql, [since])
  return { calls: Number(row!.calls), failed: Number(row!.failed) }
}

/** Calls at which a check of a guardrail could not look. `code`: the error of the call, if it was refused. */
export type UnscannedCalls = { guardrail: string; check: string; reasons: string[]; code: string | null; calls: number }

/** What no check can read, such as files, does not count. */
export async function countUnscanned(db: Database, since: number): Promise<UnscannedCalls[]> {
  const contains = db.kind === 'postgres' ? 'strpos' : 'instr'
  const sql = `SELECT guardrails, code, COUNT(*) AS calls FROM (
    SELECT guardrails, code FROM usage WHERE at >= $1 AND guardrails IS NOT NULL
    ORDER BY at DESC, id DESC LIMIT ${MAX_ROWS}) AS newest
    WHERE ${contains}(guardrails, '"unscanned"') > 0 GROUP BY guardrails, code`
  const rows = await db.report<{ guardrails: string; code: string | null; calls: number }>(sql, [since])
  return rows.flatMap(({ guardrails, code, calls }) =>
    readGuardrailRuns(guardrails).flatMap(([guardrail, outcome, check, , ...reasons]) =>
      outcome === 'unscanned' && check !== null ? [{ guardrail, check, reasons, code, calls: Number(calls) }] : [],
    ),
  )
}

/** Jobs that have failed since a moment. */
export function countFailedJobs(db: Database, since: number): Promise<number> {
  const ended = `SELECT state FROM jobs WHERE finished_at IS NOT NULL AND finished_at >= $1
    ORDER BY finished_at DESC LIMIT ${MAX_ROWS}`
  return count(db, `(${ended}) AS newest WHERE state = 'fail'`, since)
}

/** Webhooks of jobs that were given up since a moment. Those of alerts do not count: they would report themselves. */
export function countFailedDeliveries(db: Database, since: number): Promise<number> {
  const settled = `SELECT state, owner_kind FROM deliveries WHERE settled_at IS NOT NULL AND settled_at >= $1
    ORDER BY settled_at DESC LIMIT ${MAX_ROWS}`
  return count(db, `(${settled}) AS newest WHERE state = 'failed' AND owner_kind <> 'receiver'`, since)
}

async function count(db: Database, from: string, since: number): Promise<number> {
  const [row] = await db.report<{ count: number }>(`SELECT COUNT(*) AS count FROM ${from}`, [since])
  return Number(row!.count)
}

type ExpiringKey = { id: string; name: string; project: string; expiresAt: number }

/** Keys that end between two moments, the next one first. A key that was made for less than that time is left out. */
export function findExpiringKeys(db: Database, from: number, to: number): Promise<ExpiringKey[]> {
  const sql = `SELECT id, name, project, expires_at AS "expiresAt" FROM keys
    WHERE expires_at > $1 AND expires_at <= $2 AND revoked_at IS NULL AND expires_at - created_at > $2 - $1
    ORDER BY expires_at, id LIMIT ${MAX_KEYS}`
  return db.report<ExpiringKey>(sql, [from, to])
}

/** When the oldest row of the audit log was written that no checkpoint covers. */
export async function oldestWithoutCheckpoint(db: Database): Promise<number | undefined> {
  const sql = `SELECT at FROM audit WHERE seq > COALESCE((SELECT MAX(seq) FROM audit_checkpoints), 0) ORDER BY seq LIMIT 1`
  return (await db.query<{ at: number }>(sql))[0]?.at
}

/** Processes with many ledger lines that are not in the store yet. Rows of processes that have died are removed by others. */
export function findBacklogs(db: Database, atLeast: number): Promise<{ id: string; waiting: number }[]> {
  const sql =
    'SELECT id, ledger_waiting AS waiting FROM processes WHERE ledger_waiting >= $1 ORDER BY number DESC LIMIT 500'
  return db.query<{ id: string; waiting: number }>(sql, [atLeast])
}

type LostLease = { limit: string; bucket: string; start: number; processName: string; granted: number }

/** What processes held of windows that have died with it, the newest windows first. Slots of calls end by themselves. */
export async function findLostLeases(db: Database, limits: readonly string[]): Promise<LostLease[]> {
  if (limits.length === 0) return []
  const places = numberedPlaceholders(limits)
  const sql = `SELECT limit_id AS "limit", bucket, window_start AS "start", holder AS "processName", granted FROM limit_leases
    WHERE expires_at <= steady_ms() AND granted > 0 AND limit_id IN (${places})
    ORDER BY window_start DESC, limit_id, bucket, holder LIMIT 1000`
  const rows = await db.query<LostLease>(sql, limits)
  return rows.map((row) => ({ ...row, granted: Number(row.granted) }))
}
