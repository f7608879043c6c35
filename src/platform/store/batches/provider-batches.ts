import type { Database } from '../database.ts'
import { decided, fence } from './batch-lines.ts'
import type { BatchFence } from './batch-runs.ts'

// Batches at providers that have lines of a batch.

/**
 * `prepared`: nothing was asked that could create it. `submitting`: the provider may have it. `guessed`: it is most likely one that the
 * provider has.
 */
export type ProviderBatchState = 'prepared' | 'submitting' | 'running' | 'guessed' | 'cancelling'

export type ProviderBatch = {
  id: string
  state: ProviderBatchState
  provider: string
  model: string
  /** The index of the credential, and its name if it has one. */
  credential: number
  credentialName: string | null
  providerId: string | null
  lines: number
  /** As JSON. */
  windows: string
  waitMs: number
  /** Whether it is time to look at it, and in how many milliseconds that is. */
  inMs: number
  createdAt: number
  /** How long ago that was, on the steady clock. */
  ageMs: number
}

type NewProviderBatch = Omit<ProviderBatch, 'state' | 'providerId' | 'inMs' | 'createdAt' | 'ageMs'>

/** Its lines are its own from here on. Returns whether the batch still belongs to this attempt. */
export async function insertProviderBatch(
  db: Database,
  batch: BatchFence,
  created: NewProviderBatch,
  numbers: readonly number[],
): Promise<boolean> {
  const { id, provider, model, credential, credentialName, lines, windows, waitMs } = created
  const row = {
    sql: `INSERT INTO provider_batches (id, batch_id, state, provider, model, credential, credential_name, lines, windows, wait_ms, look_at, begun_at, created_at)
      VALUES ($1, $2, 'prepared', $3, $4, $5, $6, $7, $8, $9, steady_ms() + CAST($9 AS BIGINT), steady_ms(), now_ms())`,
    values: [id, batch.id, provider, model, credential, credentialName, lines, windows, waitMs],
  }
  const [held] = await db.transaction([fence(batch), row, ...decided(batch, numbers, id)])
  return held!.changes > 0
}

export async function listProviderBatches(db: Database, batch: string): Promise<ProviderBatch[]> {
  const sql = `SELECT id, state, provider, model, credential, credential_name AS "credentialName", provider_id AS "providerId", lines, windows,
      wait_ms AS "waitMs", look_at - steady_ms() AS "inMs", created_at AS "createdAt", steady_ms() - begun_at AS "ageMs"
    FROM provider_batches WHERE batch_id = $1 ORDER BY look_at, id`
  return await db.query<ProviderBatch>(sql, [batch])
}

/** The ids that a provider gave to batches that are known here. */
export async function knownAt(db: Database, provider: string): Promise<Set<string>> {
  const sql = 'SELECT provider_id AS id FROM provider_batches WHERE provider = $1 AND provider_id IS NOT NULL'
  const rows = await db.query<{ id: string }>(sql, [provider])
  return new Set(rows.map(({ id }) => id))
}

type Change = { state: ProviderBatchState; providerId: string | null; waitMs: number }

/** Returns whether the batch still belongs to this attempt. */
export async function noteProviderBatch(
  db: Database,
  batch: BatchFence,
  { id }: Pick<ProviderBatch, 'id'>,
  { state, providerId, waitMs }: Change,
): Promise<boolean> {
  const sql = `UPDATE provider_batches SET state = $2, provider_id = $3, wait_ms = $4, look_at = steady_ms() + CAST($4 AS BIGINT) WHERE id = $1`
  const [held] = await db.transaction([fence(batch), { sql, values: [id, state, providerId, waitMs] }])
  return held!.changes > 0
}

/** When it was found that it has ended, which the first time says, and how long ago that was; undefined if the batch does not belong to this attempt any more. */
export async function noteEnd(
  db: Database,
  batch: BatchFence,
  { id }: Pick<ProviderBatch, 'id'>,
): Promise<{ at: number; agoMs: number } | undefined> {
  const sql = `UPDATE provider_batches SET ended_at = COALESCE(ended_at, now_ms()) WHERE id = $1
    RETURNING ended_at AS "endedAt", now_ms() - ended_at AS "agoMs"`
  const [, ended] = await db.transaction([fence(batch), { sql, values: [id] }])
  const row = ended?.rows[0]
  return row && { at: Number(row.endedAt), agoMs: Number(row.agoMs) }
}

/** It has ended. Lines that it has not answered are answered as `rest` says. */
export async function endProviderBatch(
  db: Database,
  batch: BatchFence,
  { id }: Pick<ProviderBatch, 'id'>,
  rest: RestOfLines,
): Promise<void> {
  const lines =
    'carrier' in rest
      ? { sql: 'UPDATE batch_lines SET carrier = $3', values: [rest.carrier] }
      : {
          sql: 'UPDATE batch_lines SET outcome = $3, status = 0, answer = $4, bytes = CAST($5 AS BIGINT)',
          values: [rest.outcome, rest.answer, rest.answer === null ? 0 : Buffer.byteLength(rest.answer)],
        }
  await db.transaction([
    fence(batch),
    {
      sql: `${lines.sql} WHERE batch_id = $1 AND carrier = $2 AND outcome IS NULL`,
      values: [batch.id, id, ...lines.values],
    },
    { sql: 'DELETE FROM provider_batches WHERE id = $1', values: [id] },
  ])
}

/** Who answers the lines that are left, or what they get for an answer. */
export type RestOfLines =
  | { carrier: string | null }
  | { outcome: 'errored' | 'cancelled' | 'expired'; answer: string | null }
