import type { ClaimCapacity } from '../../../base/fairness/claim-capacity.ts'
import type { Database, Statement } from '../database.ts'
import { type AttemptRecord, insertAttempt } from './attempts.ts'
import { distinctOwners } from '../distinct-owners.ts'
import { OWNER_COLUMNS, type OwnerKind } from '../owner.ts'
import { skipLocked } from '../skip-locked.ts'

// Webhooks that have to arrive. A delivery is written together with the end of its job and holds the bytes that were
// signed. Every attempt sends the same bytes with the same signature.

export type NewDelivery = {
  id: string
  jobId: string
  url: string
  /** Host and port. A slow receiver holds up only its own deliveries. */
  receiver: string
  body: Uint8Array
  signature: string
  keyId: string
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** Whose webhook it is: that of the owner of its job. A message to a receiver of alerts is the receiver's, and in no project. */
type DeliveryOwner = {
  organization: string | null
  project: string | null
  ownerKind: OwnerKind | 'receiver'
  ownerId: string
}

export type StoredDelivery = Omit<NewDelivery, 'body' | 'receiver' | 'signature'> &
  DeliveryOwner & {
    state: DeliveryState
    /** Attempts whose outcome is known. */
    attempts: number
    nextAt: number
    lastStatus: number | null
    lastError: string | null
    createdAt: number
    settledAt: number | null
  }

/** `lease` is the number of the claim. The store refuses writes from an earlier claim. */
export type ClaimedDelivery = Omit<NewDelivery, 'body'> & {
  owner: string
  /** Null if the body is large: many deliveries are claimed at once, and `readBody` loads a large one when there is memory. */
  body: Uint8Array | null
  bodyBytes: number
  attempts: number
  lease: number
}

type DeliveryFence = { id: string; lease: number }

type Attempt = DeliveryFence & {
  state: DeliveryState
  status: number | null
  error: string | null
  /** The delay before the next attempt, if the state is still `pending`. */
  delayMs: number
  record: AttemptRecord
}

const CANDIDATES = 200
const LARGE_BYTES = 64 * 1024

export const STORED = `id, job_id AS "jobId", organization, project, owner_kind AS "ownerKind", owner_id AS "ownerId", url, key_id AS "keyId", state, attempts, next_at - steady_ms() + now_ms() AS "nextAt",
  last_status AS "lastStatus", last_error AS "lastError", created_at AS "createdAt", settled_at AS "settledAt"`
const CLAIMED = `id, job_id AS "jobId", owner, url, receiver, signature, key_id AS "keyId", attempts, lease,
  (SELECT CASE WHEN LENGTH(body) <= ${LARGE_BYTES} THEN body END FROM delivery_bodies WHERE delivery_id = deliveries.id) AS "body",
  (SELECT LENGTH(body) FROM delivery_bodies WHERE delivery_id = deliveries.id) AS "bodyBytes"`
const DUE = "state = 'pending' AND next_at <= (SELECT steady_ms())"
const NOT_FLYING_TO_FULL = `(owner, receiver) NOT IN (SELECT owner, receiver FROM flying WHERE many >= $1)`

const DUE_OF_ALL = `due AS MATERIALIZED (
      SELECT id, owner, receiver, next_at FROM deliveries
      WHERE ${DUE} AND ${NOT_FLYING_TO_FULL} ORDER BY next_at, id LIMIT ${CANDIDATES}
    ), ranked AS MATERIALIZED (
      SELECT due.id, due.next_at, COALESCE(flying.many, 0) +
        ROW_NUMBER() OVER (PARTITION BY due.owner, due.receiver ORDER BY due.next_at, due.id) AS place
      FROM due LEFT JOIN flying ON flying.owner = due.owner AND flying.receiver = due.receiver
    ), chosen AS MATERIALIZED (
      SELECT id FROM ranked WHERE place <= $1 ORDER BY next_at, id LIMIT $2
    )`
/** One delivery of each owner that has few enough in flight. */
const DUE_OF_OTHERS = `${distinctOwners("deliveries WHERE state = 'pending'")}, busy AS MATERIALIZED (
      SELECT owner FROM flying GROUP BY owner HAVING SUM(many) > $4
    ), firsts AS MATERIALIZED (
      SELECT (SELECT id FROM deliveries WHERE ${DUE} AND ${NOT_FLYING_TO_FULL} AND deliveries.owner = owners.owner
        ORDER BY next_at, id LIMIT 1) AS id
      FROM owners WHERE owner NOT IN (SELECT owner FROM busy)
    ), chosen AS MATERIALIZED (
      SELECT deliveries.id FROM firsts CROSS JOIN deliveries WHERE deliveries.id = firsts.id
      ORDER BY next_at, deliveries.id LIMIT $2
    )`
/** Never before the creation, even if the clock went back. */
const SETTLED_NOW = 'CASE WHEN created_at > now_ms() THEN created_at ELSE now_ms() END'
const FENCED = "WHERE id = $1 AND lease = $2 AND state = 'pending'"

/** Follows the end of a job or a batch in the same transaction. It adds nothing unless this attempt ended it there. */
export function insertDelivery(
  delivery: NewDelivery,
  ended: { id: string; attempt: number; status: string },
  table: 'jobs' | 'batches' = 'jobs',
): Statement[] {
  const { id, jobId, url, receiver, signature, keyId, body } = delivery
  return [
    {
      sql: `INSERT INTO deliveries (id, job_id, ${OWNER_COLUMNS}, submitted_by, url, receiver, signature, key_id, state, attempts,
          lease, next_at, created_at, bytes)
        SELECT $1, $2, ${OWNER_COLUMNS}, key_id, $3, $4, $5, $6, 'pending', 0, 0, steady_ms(), now_ms(), CAST($10 AS BIGINT)
        FROM ${table} WHERE id = $7 AND attempt = $8 AND state = $9 ON CONFLICT DO NOTHING`,
      values: [id, jobId, url, receiver, signature, keyId, ended.id, ended.attempt, ended.status, body.length],
    },
    {
      sql: `INSERT INTO delivery_bodies (delivery_id, body) SELECT $1, $2
        WHERE EXISTS (SELECT 1 FROM deliveries WHERE id = $1) ON CONFLICT DO NOTHING`,
      values: [id, body],
    },
  ]
}

/** A message to a receiver of the operator. There is no job, and each receiver is an owner of its own. */
export function insertMessage({ id, jobId, url, receiver, signature, keyId, body }: NewDelivery): Statement[] {
  return [
    {
      sql: `INSERT INTO deliveries (id, job_id, owner_kind, owner_id, owner, url, receiver, signature, key_id, state, attempts, lease,
          next_at, created_at, bytes)
        VALUES ($1, $2, 'receiver', $3, $3, $3, $4, $5, $6, 'pending', 0, 0, steady_ms(), now_ms(), $7)`,
      values: [id, jobId, url, receiver, signature, keyId, body.length],
    },
    { sql: 'INSERT INTO delivery_bodies (delivery_id, body) VALUES ($1, $2)', values: [id, body] },
  ]
}

/**
 * Claims deliveries that are due, at most `perReceiver` of one owner to one receiver at a time. (Processes that claim at
 * the same moment do not see each other, so a receiver may then get that many from each process.)
 */
export async function claimDeliveries(
  db: Database,
  { limit, maxRunning, leaseMs, perReceiver }: ClaimCapacity & { leaseMs: number; perReceiver: number },
): Promise<ClaimedDelivery[]> {
  // The lease is in next_at too, so that deliveries in flight are not looked at again. When a row changed in the meantime,
  // PostgreSQL rechecks only the conditions of the SELECT that locks, so DUE is there twice.
  const sql = `WITH RECURSIVE leased AS MATERIALIZED (
      SELECT owner, receiver FROM deliveries WHERE state = 'pending' AND lease_until > (SELECT steady_ms())
    ), flying AS MATERIALIZED (
      SELECT owner, receiver, COUNT(*) AS many FROM leased GROUP BY owner, receiver
    ), ${maxRunning === undefined ? DUE_OF_ALL : DUE_OF_OTHERS}, picked AS MATERIALIZED (
      SELECT id FROM deliveries WHERE ${DUE} AND id IN (SELECT id FROM chosen) ${skipLocked(db)}
    ) UPDATE deliveries SET lease = lease + 1, lease_until = steady_ms() + $3, next_at = steady_ms() + $3
    WHERE id IN (SELECT id FROM picked) RETURNING ${CLAIMED}`
  const values = [perReceiver, limit, leaseMs]
  return db.query<ClaimedDelivery>(sql, maxRunning === undefined ? values : [...values, maxRunning])
}

/** The signed bytes of a delivery, however many they are. */
export async function readBody(db: Database, id: string): Promise<Uint8Array> {
  const rows = await db.query<{ body: Uint8Array }>('SELECT body FROM delivery_bodies WHERE delivery_id = $1', [id])
  if (!rows[0]) throw new Error('There is no delivery with this id')
  return rows[0].body
}

/** Returns false if the delivery no longer belongs to this claim. */
export async function recordAttempt(db: Database, attempt: Attempt): Promise<boolean> {
  const { id, lease, state, status, error, delayMs } = attempt
  const sql = `UPDATE deliveries SET state = $3, last_status = $4, last_error = $5, next_at = steady_ms() + $6,
    attempts = attempts + 1, lease_until = NULL, settled_at = ${state === 'pending' ? 'NULL' : SETTLED_NOW} ${FENCED}`
  const settling = { sql, values: [id, lease, state, status, error, delayMs], required: true }
  const [result] = await db.transaction([settling, insertAttempt(attempt)])
  return result!.changes > 0
}

/** Releases a delivery that was not attempted. */
export async function releaseDelivery(db: Database, { id, lease }: DeliveryFence): Promise<boolean> {
  const sql = `UPDATE deliveries SET next_at = steady_ms(), lease_until = NULL ${FENCED}`
  const [result] = await db.transaction([{ sql, values: [id, lease] }])
  return result!.changes > 0
}

/** Returns how many were removed. Pending deliveries stay. */
export async function expireDeliveries(db: Database, { keepMs, limit }: { keepMs: number; limit: number }) {
  const sql = `DELETE FROM deliveries WHERE id IN (
    SELECT id FROM deliveries WHERE settled_at < (SELECT now_ms()) - $1 ORDER BY settled_at LIMIT $2)`
  const [expired] = await db.transaction([{ sql, values: [keepMs, limit] }])
  return expired!.changes
}
