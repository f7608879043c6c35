import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'

// Alerts and what became of them. Every change of a state is one statement that is `required`: of several processes that see
// the same, one changes the row, and only its messages are written.

type AlertState = 'pending' | 'open' | 'resolved'

export type StoredAlert = {
  id: string
  rule: string
  /** What the alert is about, such as a provider. A rule has one alert about it at a time. */
  subject: string
  state: AlertState
  severity: string
  summary: string
  /** JSON. */
  details: string
  project: string | null
  value: number
  threshold: number
  /** Since when the condition is true, and since when it is not true any more. */
  since: number
  clearSince: number | null
  /** When it was seen first; as soon as it is open, when it was opened. */
  createdAt: number
  resolvedAt: number | null
  acknowledgedAt: number | null
  acknowledgedBy: string | null
}

export type NewAlert = Omit<StoredAlert, 'clearSince' | 'resolvedAt' | 'acknowledgedAt' | 'acknowledgedBy'>

const MAX_UNRESOLVED = 10_000
const COLUMNS = `id, rule, subject, state, severity, summary, details, project, value, threshold, since,
  clear_since AS "clearSince", created_at AS "createdAt", resolved_at AS "resolvedAt",
  acknowledged_at AS "acknowledgedAt", acknowledged_by AS "acknowledgedBy"`

export function readUnresolved(db: Database): Promise<StoredAlert[]> {
  const sql = `SELECT ${COLUMNS} FROM alerts WHERE state <> 'resolved' ORDER BY created_at, id LIMIT ${MAX_UNRESOLVED}`
  return db.query<StoredAlert>(sql)
}

/** Changes nothing if there is an alert about this subject already. */
export function insertAlert(alert: NewAlert): Statement {
  const { id, rule, subject, state, severity, summary, details, project, value, threshold, since, createdAt } = alert
  return {
    sql: `INSERT INTO alerts (id, rule, subject, state, severity, summary, details, project, value, threshold, since, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING RETURNING id`,
    values: [id, rule, subject, state, severity, summary, details, project, value, threshold, since, createdAt],
    required: true,
  }
}

type Opened = Pick<NewAlert, 'id' | 'severity' | 'summary' | 'details' | 'value' | 'threshold' | 'createdAt'>

/** The condition has lasted long enough. */
export function openAlert({ id, severity, summary, details, value, threshold, createdAt }: Opened): Statement {
  return {
    sql: `UPDATE alerts SET state = 'open', severity = $2, summary = $3, details = $4, value = $5, threshold = $6,
      created_at = $7 WHERE id = $1 AND state = 'pending' RETURNING id`,
    values: [id, severity, summary, details, value, threshold, createdAt],
    required: true,
  }
}

export function resolveAlert(id: string, at: number): Statement {
  const sql = `UPDATE alerts SET state = 'resolved', resolved_at = $2 WHERE id = $1 AND state = 'open' RETURNING id`
  return { sql, values: [id, at], required: true }
}

/** Notes since when the condition is true, and since when it is not. */
export function noteTimes(id: string, { since, clearSince }: Pick<StoredAlert, 'since' | 'clearSince'>): Statement {
  const sql = `UPDATE alerts SET since = $2, clear_since = $3 WHERE id = $1 AND state <> 'resolved'`
  return { sql, values: [id, since, clearSince] }
}

/** The condition did not last long enough to be told. */
export function dropPending(id: string): Statement {
  return { sql: "DELETE FROM alerts WHERE id = $1 AND state = 'pending'", values: [id] }
}

export type AlertFilter = {
  state?: AlertState | undefined
  rule?: string | undefined
  project?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

/** Newest first. Receivers have not been told about a pending alert, and it is listed only if it is asked for. */
export async function listAlerts(
  db: Database,
  { limit, cursor, ...filter }: AlertFilter & { limit: number; cursor?: string | undefined },
): Promise<Page<StoredAlert>> {
  const values: Value[] = [limit + 1]
  const { add, where } = conditions(values)
  if (cursor !== undefined) add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (filter.state !== undefined) add('state = ?', [filter.state])
  else add("state <> 'pending'")
  if (filter.rule !== undefined) add('rule = ?', [filter.rule])
  if (filter.project !== undefined) add('project = ?', [filter.project])
  if (filter.from !== undefined) add('created_at >= ?', [filter.from])
  if (filter.to !== undefined) add('created_at < ?', [filter.to])
  const sql = `SELECT ${COLUMNS} FROM alerts ${where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<StoredAlert>(sql, values), limit)
}

export async function findAlert(db: Database, id: string): Promise<StoredAlert | undefined> {
  return (await db.query<StoredAlert>(`SELECT ${COLUMNS} FROM alerts WHERE id = $1`, [id]))[0]
}

/** Returns false if it is not open, or if it was acknowledged before. */
export async function acknowledgeAlert(db: Database, ack: { id: string; by: string; at: number }): Promise<boolean> {
  const sql = `UPDATE alerts SET acknowledged_at = $3, acknowledged_by = $2
    WHERE id = $1 AND state = 'open' AND acknowledged_at IS NULL RETURNING id`
  return (await db.query(sql, [ack.id, ack.by, ack.at])).length > 0
}

/** Returns how many were removed. */
export async function expireAlerts(db: Database, { keepMs, limit }: { keepMs: number; limit: number }) {
  const sql = `DELETE FROM alerts WHERE id IN (
    SELECT id FROM alerts WHERE resolved_at < (SELECT now_ms()) - $1 ORDER BY resolved_at LIMIT $2)`
  const [expired] = await db.transaction([{ sql, values: [keepMs, limit] }])
  return expired!.changes
}
