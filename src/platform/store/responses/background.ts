import type { Database, Statement } from '../database.ts'
import type { Fence, Stop } from '../jobs/job-runs.ts'
import { type NewJob, RESPONSES, submitJob } from '../jobs/jobs.ts'

// Responses that are made in the background: a job, the response as it is shown until the job ends, and the events of its
// stream. Every process can read the events, and only the attempt that runs the job can write them.

export type BackgroundResponse = {
  state: 'queued' | 'running' | 'success' | 'fail'
  stop: Stop | null
  /** The message of a failure. */
  error: string | null
  /** JSON: the response before it was begun. */
  shell: string
  isStreamed: boolean
  /** The length of what has to be read for its input, and for its result. */
  requestChars: number
  resultChars: number
}

/** Events of a stream, one after the other, with the numbers of the first and of the last. */
export type EventBatch = { first: number; last: number; events: string }

/** What a reader of the stream gets at once. */
const BATCHES_AT_ONCE = 16
const OWN = `id = $1 AND owner = $2 AND feature = '${RESPONSES}'`
const VISIBLE = "(stop IS NULL OR stop <> 'deleted')"
const RUNNING = "EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND attempt = $2 AND state = 'running' AND stop IS NULL)"
const LAST_NUMBER = '(SELECT MAX(last_number) FROM response_events WHERE job_id = $1)'

export async function submitResponse(
  db: Database,
  job: NewJob,
  { shell, isStreamed }: Pick<BackgroundResponse, 'shell' | 'isStreamed'>,
): Promise<void> {
  const sql = 'INSERT INTO background_responses (job_id, shell, streamed, first_number) VALUES ($1, $2, $3, 0)'
  const statements = [{ sql, values: [job.id, shell, isStreamed ? 1 : 0] }]
  await submitJob(db, job, { statements, bytes: Buffer.byteLength(shell) })
}

export async function findBackground(
  db: Database,
  { id, owner, keepMs }: { id: string; owner: string; keepMs: number },
): Promise<BackgroundResponse | undefined> {
  const sql = `SELECT state, stop, error, shell, streamed,
      COALESCE((SELECT LENGTH(request) FROM job_requests WHERE job_id = $1), 0) AS "requestChars",
      COALESCE((SELECT LENGTH(output) FROM job_results WHERE job_id = $1), 0) AS "resultChars"
    FROM jobs JOIN background_responses ON job_id = id
    WHERE ${OWN} AND ${VISIBLE} AND (finished_at IS NULL OR finished_at > (SELECT now_ms()) - $3)`
  type Row = Omit<BackgroundResponse, 'isStreamed'> & { streamed: number }
  const [row] = await db.query<Row>(sql, [id, owner, keepMs])
  if (!row) return undefined
  const { streamed, ...rest } = row
  return { ...rest, isStreamed: streamed === 1 }
}

/** The result of a job as JSON. */
export async function readResult(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ output: string | null }>('SELECT output FROM job_results WHERE job_id = $1', [id])
  return row?.output ?? undefined
}

/** A response that has ended stays as it is. */
export async function cancelResponse(db: Database, owner: string, id: string): Promise<void> {
  const sql = `UPDATE jobs SET stop = 'cancelled' WHERE ${OWN} AND finished_at IS NULL AND stop IS NULL`
  await db.transaction([{ sql, values: [id, owner] }])
}

/**
 * Returns whether it existed. A job that has not ended stays until it has stopped and its ledger line is written, but it is
 * not shown any more, and what the caller sent is removed now.
 */
export async function deleteResponse(db: Database, owner: string, id: string): Promise<boolean> {
  const values = [id, owner]
  const stopped = "EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND owner = $2 AND stop = 'deleted')"
  const [removed, hidden] = await db.transaction([
    { sql: `DELETE FROM jobs WHERE ${OWN} AND ${VISIBLE} AND finished_at IS NOT NULL`, values },
    { sql: `UPDATE jobs SET stop = 'deleted', bytes = 0 WHERE ${OWN} AND ${VISIBLE}`, values },
    ...['response_events', 'job_requests', 'background_responses'].map((table) => {
      return { sql: `DELETE FROM ${table} WHERE job_id = $1 AND ${stopped}`, values }
    }),
  ])
  return removed!.changes + hidden!.changes > 0
}

/**
 * Begins the stream of an attempt and returns the number of its first event. Readers may have seen events of an attempt that
 * died: those are removed, and their numbers are not used again.
 */
export async function beginEvents(db: Database, { id, attempt }: Fence): Promise<number> {
  const values = [id, attempt]
  const [, , begun] = await db.transaction([
    {
      sql: `UPDATE background_responses SET first_number = COALESCE(${LAST_NUMBER} + 1, first_number)
        WHERE job_id = $1 AND ${RUNNING}`,
      values,
    },
    { sql: `DELETE FROM response_events WHERE job_id = $1 AND ${RUNNING}`, values },
    { sql: 'SELECT first_number AS "first" FROM background_responses WHERE job_id = $1', values: [id] },
  ])
  return Number(begun!.rows[0]?.first ?? 0)
}

/** Returns false if the job no longer belongs to this attempt, or is to stop. */
export async function addEvents(db: Database, { id, attempt }: Fence, batch: EventBatch): Promise<boolean> {
  const sql = `INSERT INTO response_events (job_id, first_number, last_number, events)
    SELECT $1, CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5 WHERE ${RUNNING}`
  const statement: Statement = { sql, values: [id, attempt, batch.first, batch.last, batch.events] }
  return (await db.transaction([statement]))[0]!.changes > 0
}

export type EventsRead = {
  batches: EventBatch[]
  /** Undefined if the response is gone. */
  state: BackgroundResponse['state'] | undefined
  stop: Stop | null
  /** The number of the event that ends the stream, if all others are known. */
  endNumber: number
}

/** The state is read first: if it is an end, the events are complete. */
export async function readEvents(db: Database, owner: string, id: string, after: number): Promise<EventsRead> {
  const [jobs, rows] = await db.transaction([
    {
      sql: `SELECT state, stop, COALESCE(${LAST_NUMBER} + 1, first_number) AS "endNumber"
        FROM jobs JOIN background_responses ON job_id = id WHERE ${OWN} AND ${VISIBLE}`,
      values: [id, owner],
    },
    {
      sql: `SELECT first_number AS "first", last_number AS "last", events FROM response_events
        WHERE job_id = $1 AND last_number > $2 ORDER BY first_number LIMIT ${BATCHES_AT_ONCE}`,
      values: [id, after],
    },
  ])
  const [job] = jobs!.rows as { state: BackgroundResponse['state']; stop: Stop | null; endNumber: number }[]
  const progress = job ?? { state: undefined, stop: null, endNumber: 0 }
  return { ...progress, batches: rows!.rows as EventBatch[] }
}
