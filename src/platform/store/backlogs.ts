import type { Database } from './database.ts'

/** Work that waits in the store: how much, and for how long the oldest of it. */
type Backlog = { many: number; oldestMs: number }
export type Backlogs = Record<'queued' | 'running' | 'deliveries', Backlog>

/** Counting stops here, so that a very long queue does not make the count slow. */
const MAX_COUNTED = 100_000

const JOBS_SINCE = { queued: 'created_at', running: 'started_at' }

/** Jobs and webhooks that are not finished. Both have indexes of what is not. */
export async function readBacklogs(db: Database): Promise<Backlogs> {
  const parts = [
    ...Object.entries(JOBS_SINCE).map(([state, since]) =>
      countSql(state, `${since} FROM jobs WHERE state = '${state}'`),
    ),
    countSql('deliveries', "created_at FROM deliveries WHERE state = 'pending'"),
  ]
  const rows = await db.report<Backlog & { name: keyof Backlogs }>(parts.join(' UNION ALL '))
  const entries = rows.map(({ name, many, oldestMs }) => [name, { many, oldestMs: Math.max(0, oldestMs) }])
  return Object.fromEntries(entries)
}

function countSql(name: string, rows: string): string {
  return `SELECT '${name}' AS name, COUNT(*) AS many, COALESCE(now_ms() - MIN(since), 0) AS "oldestMs"
    FROM (SELECT ${rows.replace(' FROM', ' AS since FROM')} LIMIT ${MAX_COUNTED}) AS waiting`
}
