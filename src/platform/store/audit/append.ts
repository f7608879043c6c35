import type { Database, Statement } from '../database.ts'

// The audit log is a chain: the hash of a row is the SHA-256 of the hash before it and of the row's own text. The number and
// the time of a row are known only when it is written, so its text is handed over in three parts, around those two.

/** The hash before the first row. */
export const NO_HASH = '0'.repeat(64)

/** `before` and `after` are JSON texts. `text` is the canonical JSON of the row without the values of `at` and `seq`. */
export type NewAuditRow = {
  actor: string
  via: string
  action: string
  object: string
  before: string | null
  after: string | null
  ip: string | null
  request: string | null
  text: readonly [beforeAt: string, beforeSeq: string, end: string]
}

// Any number works, as long as all versions of this program use the same one.
const ADVISORY_LOCK = 7_401_952

/**
 * Begins a transaction that appends: on PostgreSQL, one such transaction at a time, from its first statement to its commit. So
 * no other row can come between reading the last hash and writing the next one. SQLite has one writer anyway.
 */
export function auditLock(db: Database): Statement[] {
  return db.kind === 'postgres' ? [{ sql: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK] }] : []
}

/** For the end of a transaction that began with the lock. */
export function appendRow({ actor, via, action, object, before, after, ip, request, text }: NewAuditRow): Statement {
  return { sql: APPEND, values: [actor, via, action, object, before, after, ip, request, ...text] }
}

/** Materialized, so that the time is read once. */
const APPEND = `INSERT INTO audit (seq, at, actor, via, action, object, before, after, ip, request, prev, hash)
  WITH head AS MATERIALIZED (
    SELECT COALESCE((SELECT MAX(seq) FROM audit), 0) + 1 AS next,
      COALESCE((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), '${NO_HASH}') AS last, CAST(now_ms() AS BIGINT) AS at)
  SELECT next, at, $1, $2, $3, $4, $5, $6, $7, $8, last,
    sha256_hex(last || $9 || CAST(at AS TEXT) || $10 || CAST(next AS TEXT) || $11) FROM head`
