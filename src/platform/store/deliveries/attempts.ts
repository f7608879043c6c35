import type { Database, Statement } from '../database.ts'

/** What is kept of one attempt beside its outcome. */
export type AttemptRecord = {
  durationMs: number
  /** The beginning of the receiver's answer. */
  answer: string | null
  /** The time that the attempt signed, in seconds since 1970, and the signature; null if nothing was sent. */
  signed: { timestamp: number; timestampSignature: string } | null
}

export type StoredAttempt = {
  at: number
  status: number | null
  error: string | null
  answer: string | null
  durationMs: number
  signedAt: number | null
  signature: string | null
}

type Attempted = { id: string; lease: number; status: number | null; error: string | null; record: AttemptRecord }

/** Follows the statement that settles the attempt. */
export function insertAttempt({ id, lease, status, error, record }: Attempted): Statement {
  const { durationMs, answer, signed } = record
  const sql = `INSERT INTO delivery_attempts (delivery_id, lease, at, status, error, answer, duration_ms, signed_at, signature)
    VALUES ($1, $2, now_ms(), $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`
  const { timestamp = null, timestampSignature = null } = signed ?? {}
  return { sql, values: [id, lease, status, error, answer, Math.round(durationMs), timestamp, timestampSignature] }
}

/** Newest first. */
export async function readAttempts(db: Database, deliveryId: string, limit: number): Promise<StoredAttempt[]> {
  const sql = `SELECT at, status, error, answer, duration_ms AS "durationMs", signed_at AS "signedAt", signature
    FROM delivery_attempts WHERE delivery_id = $1 ORDER BY lease DESC LIMIT $2`
  return await db.query<StoredAttempt>(sql, [deliveryId, limit])
}
