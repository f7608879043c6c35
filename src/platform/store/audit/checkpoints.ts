import type { Database, Statement } from '../database.ts'

/** What the log was at a moment, signed. `at` is in milliseconds. */
export type Checkpoint = { seq: number; hash: string; at: number; keyId: string; signature: string }

const COLUMNS = 'seq, hash, at, key_id AS "keyId", signature'

/** Returns false if another process has written one for this row. Then nothing of `messages` is written either. */
export async function insertCheckpoint(
  db: Database,
  checkpoint: Checkpoint,
  messages: readonly Statement[] = [],
): Promise<boolean> {
  const { seq, hash, at, keyId, signature } = checkpoint
  const sql = `INSERT INTO audit_checkpoints (seq, hash, at, key_id, signature)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (seq) DO NOTHING RETURNING seq`
  const insert = { sql, values: [seq, hash, at, keyId, signature], required: true }
  const [result] = await db.transaction([insert, ...messages])
  return result!.changes > 0
}

export async function lastCheckpoint(db: Database): Promise<Checkpoint | undefined> {
  const sql = `SELECT ${COLUMNS} FROM audit_checkpoints ORDER BY seq DESC LIMIT 1`
  return (await db.query<Checkpoint>(sql))[0]
}

/** Oldest first: checkpoints from this row on. */
export function checkpointsFrom(db: Database, seq: number, limit: number): Promise<Checkpoint[]> {
  const sql = `SELECT ${COLUMNS} FROM audit_checkpoints WHERE seq >= $1 ORDER BY seq LIMIT $2`
  return db.query<Checkpoint>(sql, [seq, limit])
}
