import type { Statement } from '../database.ts'

/** Marks something as used, once for all processes: changes nothing if it was used before. Old marks are removed first. */
export function spending(digest: string, { now, expiresAt }: { now: number; expiresAt: number }): Statement[] {
  return [
    { sql: 'DELETE FROM spent_tokens WHERE expires_at <= $1', values: [now] },
    {
      sql: 'INSERT INTO spent_tokens (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING',
      values: [digest, expiresAt],
      required: true,
    },
  ]
}
