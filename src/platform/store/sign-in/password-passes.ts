import type { Database, Statement } from '../database.ts'

/** For a password that was set on the machine itself: it is accepted for an hour although only providers may be used. */
export function passwordPass(userId: string): Statement {
  const sql = `INSERT INTO password_passes (user_id, expires_at) VALUES ($1, now_ms() + 3600000)
    ON CONFLICT (user_id) DO UPDATE SET expires_at = now_ms() + 3600000`
  return { sql, values: [userId] }
}

export async function hasPasswordPass(db: Database, userId: string, now: number): Promise<boolean> {
  const sql = 'SELECT 1 AS found FROM password_passes WHERE user_id = $1 AND expires_at > $2'
  return (await db.query(sql, [userId, now])).length > 0
}
