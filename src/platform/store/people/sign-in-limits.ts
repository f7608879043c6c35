import type { Database, Statement } from '../database.ts'

/** `burst` attempts at once, and one more every `everyMs`. */
export type AttemptLimit = { burst: number; everyMs: number }

/**
 * Counts one attempt, in the store, so that it counts for all processes. Returns false if there have been too many: then
 * nothing is counted. The algorithm is GCRA: `free_at` is when all attempts so far are forgotten.
 */
export async function countAttempt(db: Database, name: string, { burst, everyMs }: AttemptLimit): Promise<boolean> {
  const next = `CASE WHEN sign_in_limits.free_at > steady_ms() THEN sign_in_limits.free_at ELSE steady_ms() END
    + CAST($2 AS BIGINT)`
  const [, counted] = await db.transaction([
    { sql: `DELETE FROM sign_in_limits WHERE name IN (${FORGOTTEN})` },
    {
      sql: `INSERT INTO sign_in_limits (name, free_at) VALUES ($1, steady_ms() + CAST($2 AS BIGINT))
        ON CONFLICT (name) DO UPDATE SET free_at = ${next} WHERE ${next} <= steady_ms() + CAST($3 AS BIGINT)`,
      values: [name, everyMs, burst * everyMs],
    },
  ])
  return counted!.changes > 0
}

/** A bounded piece of work at every attempt: each one adds a row at most, and removes several that are over. */
const FORGOTTEN = 'SELECT name FROM sign_in_limits WHERE free_at < steady_ms() ORDER BY free_at LIMIT 10'

/** After a success, earlier failures there do not matter any more. */
export async function forgetAttempts(db: Database, name: string): Promise<void> {
  await db.query('DELETE FROM sign_in_limits WHERE name = $1', [name])
}

/** The same for all names that begin with this one and a colon, and for the name itself. */
export function forgetAllAttempts(name: string): Statement {
  return {
    sql: `DELETE FROM sign_in_limits WHERE name = $1 OR (name > $1 || ':' AND name < $1 || ';')`,
    values: [name],
  }
}

/** Remembers something for a time, in the table that is cleaned up anyway. */
export async function remember(db: Database, name: string, forMs: number): Promise<void> {
  const sql = `INSERT INTO sign_in_limits (name, free_at) VALUES ($1, steady_ms() + CAST($2 AS BIGINT))
    ON CONFLICT (name) DO UPDATE SET free_at = steady_ms() + CAST($2 AS BIGINT)`
  await db.query(sql, [name, forMs])
}

export async function isRemembered(db: Database, name: string): Promise<boolean> {
  const sql = 'SELECT 1 AS found FROM sign_in_limits WHERE name = $1 AND free_at > steady_ms()'
  return (await db.query(sql, [name])).length > 0
}

/** After a success, the attempt does not count for the address that it came from. */
export async function giveBackAttempt(db: Database, name: string, { everyMs }: AttemptLimit): Promise<void> {
  await db.query('UPDATE sign_in_limits SET free_at = free_at - CAST($2 AS BIGINT) WHERE name = $1', [name, everyMs])
}
