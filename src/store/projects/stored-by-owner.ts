import type { Database } from '../database.ts'
import { scanFairly } from '../owner-scans.ts'

/** How many jobs of an owner wait. Each of them has a turn of its own, so nothing has to be counted. */
export async function waitingJobsOf(db: Database, owner: string): Promise<number> {
  const end = (which: 'MIN' | 'MAX') => `(SELECT ${which}(turn) FROM jobs WHERE owner = $1 AND state = 'queued')`
  const [row] = await db.query<{ waiting: number }>(
    `SELECT COALESCE(${end('MAX')} - ${end('MIN')} + 1, 0) AS waiting`,
    [owner],
  )
  return Number(row?.waiting ?? 0)
}

/**
 * The bytes of everything that an owner has stored: files and stored responses, conversations, what jobs and responses in the
 * background were given and gave. Both stores know the length of a text without reading it.
 */
export async function storedBytesOf(db: Database, owner: string): Promise<number> {
  const ofJobs = (table: string, column: string) => `(SELECT COALESCE(SUM(octet_length(${table}.${column})), 0)
    FROM jobs JOIN ${table} ON ${table}.job_id = jobs.id WHERE jobs.owner = $1)`
  const parts = [
    '(SELECT COALESCE(SUM(size), 0) FROM files WHERE owner = $1 AND expires_at > now_ms())',
    '(SELECT COALESCE(SUM(bytes), 0) FROM conversations WHERE owner = $1 AND expires_at > now_ms())',
    ofJobs('job_requests', 'request'),
    ofJobs('job_results', 'output'),
    ofJobs('job_results', 'original'),
    ofJobs('response_events', 'events'),
  ]
  const sql = `SELECT ${parts.join(' + ')} AS bytes`
  const [row] = await scanFairly(db, owner, () => db.query<{ bytes: number }>(sql, [owner]))
  return Number(row?.bytes ?? 0)
}
