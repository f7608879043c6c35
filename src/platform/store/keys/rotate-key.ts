import { MAX_OVERLAP_SECONDS } from '../../../contract/admin/keys.ts'
import type { Database, Statement } from '../database.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from './keys.ts'
import { type KeyChanges, updateStatements } from './update-key.ts'

/** `changes`: what else changes of the key, in the same transaction. */
type NewSecret = { digest: string; last4: string; changes?: KeyChanges }

/**
 * Gives a key another secret. The secrets that it had before are valid for `overlapSeconds` at most: a rotation also shortens
 * the time that earlier rotations have left. Returns undefined for an unknown id, for a revoked key and for changes that are refused.
 */
export async function rotateKey(
  db: Database,
  id: string,
  { digest, last4, changes = {} }: NewSecret,
  overlapSeconds: number,
): Promise<StoredKey | undefined> {
  const overlapMs = overlapSeconds * 1_000
  const results = await db.transaction([
    lock(id),
    ...(Object.keys(changes).length > 0 ? updateStatements(id, changes) : []),
    { sql: SHORTEN_EARLIER, values: [id, overlapMs] },
    { sql: KEEP_CURRENT, values: [id, overlapMs] },
    { sql: FORGET_OLD, values: [id, MAX_OVERLAP_SECONDS * 1_000] },
    {
      sql: `UPDATE keys SET digest = $2, last4 = $3, updated_at = now_ms()
        WHERE id = $1 AND revoked_at IS NULL RETURNING ${KEY_COLUMNS}`,
      values: [id, digest, last4],
      required: true,
    },
  ])
  const row = results.at(-1)!.rows[0] as KeyRow | undefined
  return row && toKey(row)
}

/** Two rotations of a key at once happen one after the other: the second one begins with the secret of the first. */
function lock(id: string): Statement {
  return { sql: 'UPDATE keys SET updated_at = now_ms() WHERE id = $1 AND revoked_at IS NULL', values: [id] }
}

const SHORTEN_EARLIER = `UPDATE former_secrets SET valid_until = now_ms() + CAST($2 AS BIGINT)
  WHERE key_id = $1 AND valid_until > now_ms() + CAST($2 AS BIGINT)`

const KEEP_CURRENT = `INSERT INTO former_secrets (digest, key_id, valid_until)
  SELECT digest, id, now_ms() + CAST($2 AS BIGINT) FROM keys WHERE id = $1 AND revoked_at IS NULL`

/**
 * A process that knows a former secret has to hear of it when its time is shortened. After the longest overlap, whatever the
 * process knew is over anyway.
 */
const FORGET_OLD = 'DELETE FROM former_secrets WHERE key_id = $1 AND valid_until < now_ms() - CAST($2 AS BIGINT)'
