import type { Database, Statement, Value } from '../database.ts'
import { numberedPlaceholders } from '../conditions.ts'
import type { LedgerLine } from '../ledger/ledger-line.ts'
import { insertions } from '../ledger/usage.ts'
import { multiRow } from '../multi-row.ts'
import { type BatchFence, countOutcomes, FENCED } from './batch-runs.ts'

// The lines of a batch that has not ended. They are read and written in parts: a batch may have fifty thousand, and an answer megabytes.

/** Who answers a line: the gateway asks, or a batch of a provider with this id has it; null if that is not decided yet. */
export type Carrier = typeof GATEWAY | (string & {}) | null
export const GATEWAY = 'gateway'

/** Where a line is in the input file, in bytes. */
export type LinePlace = { number: number; customId: string | null; begins: number; length: number }

/** A line that is to be asked now. `starts` counts this time. `tools`: JSON about what was called for it before. */
export type OpenLine = LinePlace & { starts: number; refusals: number; tools: string | null }
const OPEN_LINE = 'number, custom_id AS "customId", begins, length, starts, refusals, tools'

export type LineOutcome = 'succeeded' | 'errored' | 'cancelled' | 'expired'

/** `answer` is JSON. `ledgerLine` is stored together with it; absent if the ledger writes the line by itself, or has none. */
export type LineAnswer = {
  number: number
  outcome: 'succeeded' | 'errored'
  status: number
  requestId: string | null
  answer: string
  ledgerLine?: LedgerLine | undefined
}

export type EndedLine = {
  number: number
  customId: string | null
  outcome: LineOutcome
  status: number | null
  requestId: string | null
  answer: string | null
}

/** Whether this attempt may still write: the first statement of what follows, which ends the transaction otherwise. */
export function fence({ id, attempt }: BatchFence): Statement {
  return { sql: `UPDATE batches SET attempt = attempt WHERE ${FENCED}`, values: [id, attempt], required: true }
}

/** Forgets the lines of a validation that did not come to its end. */
export async function forgetLines(db: Database, batch: BatchFence): Promise<boolean> {
  const [held] = await db.transaction([
    fence(batch),
    { sql: 'DELETE FROM batch_lines WHERE batch_id = $1', values: [batch.id] },
  ])
  return held!.changes > 0
}

/** PostgreSQL takes the columns of VALUES for texts. */
const insertRows = multiRow<LinePlace & { batch: string; carrier: Carrier }>({
  columns: 6,
  sql: (
    tuples,
  ) => `INSERT INTO batch_lines (batch_id, number, custom_id, begins, length, carrier, attempt, starts, refusals, bytes)
    SELECT column1, CAST(column2 AS BIGINT), column3, CAST(column4 AS BIGINT), CAST(column5 AS BIGINT), CAST(column6 AS TEXT), 0, 0, 0, 0
    FROM (VALUES ${tuples}) AS places WHERE true ON CONFLICT DO NOTHING`,
  append: (values: Value[], { batch, number, customId, begins, length, carrier }) =>
    values.push(batch, number, customId, begins, length, carrier),
})

export async function insertLines(
  db: Database,
  batch: BatchFence,
  lines: readonly LinePlace[],
  carrier: Carrier,
): Promise<boolean> {
  const rows = insertRows(lines.map((line) => ({ ...line, batch: batch.id, carrier })))
  const [held] = await db.transaction([fence(batch), ...rows])
  return held!.changes > 0
}

/** How many lines of an owner are in batches that have not ended, but for this batch. */
export async function unfinishedLinesOf(db: Database, owner: string, but: string): Promise<number> {
  const sql = 'SELECT COALESCE(SUM(total), 0) AS lines FROM batches WHERE owner = $1 AND ended_at IS NULL AND id <> $2'
  const [row] = await db.query<{ lines: number }>(sql, [owner, but])
  return Number(row!.lines)
}

/**
 * The next lines to ask, in the order of the file, without those that this attempt has begun already; those that were refused come last.
 * They count as started from here on, so that a
 * line that kills its process is not asked again and again.
 */
export async function takeLines(
  db: Database,
  batch: BatchFence,
  { limit, carrier }: { limit: number; carrier: typeof GATEWAY | null },
): Promise<OpenLine[]> {
  const { id, attempt } = batch
  const sql = `WITH next AS MATERIALIZED (
      SELECT number FROM batch_lines WHERE batch_id = $1 AND outcome IS NULL
        AND ${carrier === null ? 'carrier IS NULL' : `carrier = '${GATEWAY}'`} AND attempt <> $2 AND EXISTS (SELECT 1 FROM batches WHERE ${FENCED} AND state = 'in_progress') ORDER BY refusals, number LIMIT $3
    ) UPDATE batch_lines SET starts = starts + 1, attempt = $2 WHERE batch_id = $1 AND number IN (SELECT number FROM next)
    RETURNING ${OPEN_LINE}`
  const lines = await db.query<OpenLine>(sql, [id, attempt, limit])
  return lines.sort((one, other) => one.number - other.number)
}

/** Says who answers lines that were taken to decide that. */
export function decided(batch: BatchFence, numbers: readonly number[], carrier: Carrier): Statement[] {
  return inParts(numbers).map((part) => ({
    sql: `UPDATE batch_lines SET carrier = $2, starts = starts - 1, attempt = 0
      WHERE batch_id = $1 AND outcome IS NULL AND number IN (${numberedPlaceholders(part, 3)})`,
    values: [batch.id, carrier, ...part],
  }))
}

export async function decide(
  db: Database,
  batch: BatchFence,
  numbers: readonly number[],
  carrier: Carrier,
): Promise<void> {
  if (numbers.length > 0) await db.transaction([fence(batch), ...decided(batch, numbers, carrier)])
}

/** The open lines with these numbers that one of these batches at providers has, in the order of the file. */
export async function linesWith(
  db: Database,
  batch: string,
  { numbers, carriers }: { numbers: readonly number[]; carriers: readonly string[] },
): Promise<OpenLine[]> {
  if (numbers.length === 0) return []
  const sql = `SELECT ${OPEN_LINE} FROM batch_lines
    WHERE batch_id = $1 AND outcome IS NULL AND number IN (${numberedPlaceholders(numbers, 2)})
      AND carrier IN (${numberedPlaceholders(carriers, 2 + numbers.length)}) ORDER BY number`
  return await db.query<OpenLine>(sql, [batch, ...numbers, ...carriers])
}

const NUMBERS_AT_ONCE = 500

function inParts(numbers: readonly number[]): number[][] {
  const parts: number[][] = []
  for (let from = 0; from < numbers.length; from += NUMBERS_AT_ONCE)
    parts.push(numbers.slice(from, from + NUMBERS_AT_ONCE))
  return parts
}

/** Lines that were taken and not asked, or that were refused for a while. */
export async function putBack(
  db: Database,
  batch: BatchFence,
  lines: readonly { number: number; isRefused: boolean }[],
): Promise<void> {
  if (lines.length === 0) return
  const statements = lines.map(({ number, isRefused }) => ({
    sql: `UPDATE batch_lines SET starts = starts - 1, attempt = 0, refusals = refusals + ${isRefused ? 1 : 0}
      WHERE batch_id = $1 AND number = $2 AND outcome IS NULL`,
    values: [batch.id, number],
  }))
  await db.transaction([fence(batch), ...statements])
}

/** Stores what is about to be called for a line. Returns whether the batch still belongs to this attempt. */
export async function noteTools(db: Database, batch: BatchFence, number: number, tools: string): Promise<boolean> {
  const sql = 'UPDATE batch_lines SET tools = $3 WHERE batch_id = $1 AND number = $2 AND outcome IS NULL'
  const [held] = await db.transaction([fence(batch), { sql, values: [batch.id, number, tools] }])
  return held!.changes > 0
}

/** Keeps all answers and their lines of the ledger, or none. Writing them again changes nothing. Returns whether the batch still belongs to this attempt. */
export async function storeAnswers(
  db: Database,
  batch: BatchFence,
  answers: readonly LineAnswer[],
  { counts }: { counts: boolean },
): Promise<boolean> {
  const statements = answers.map(({ number, outcome, status, requestId, answer }) => ({
    sql: `UPDATE batch_lines SET outcome = $3, status = $4, request_id = $5, answer = $6, bytes = CAST($7 AS BIGINT)
      WHERE batch_id = $1 AND number = $2 AND outcome IS NULL`,
    values: [batch.id, number, outcome, status, requestId, answer, Buffer.byteLength(answer)],
  }))
  const lines = answers.flatMap(({ ledgerLine }) => ledgerLine ?? [])
  const [held] = await db.transaction([
    fence(batch),
    ...statements,
    ...(counts ? [countOutcomes(batch)] : []),
    // Last, because calls wait for the rows of limits.
    ...(lines.length > 0 ? insertions(db, lines) : []),
  ])
  return held!.changes > 0
}

/** Lines with these outcomes behind a line, in the order of the file, with at most `maxBytes` of answers, but at least one. */
export async function readEnded(
  db: Database,
  id: string,
  { outcomes, after, limit, maxBytes }: EndedQuery,
): Promise<EndedLine[]> {
  const places = outcomes.map((_, index) => `$${index + 4}`).join(', ')
  const sql = `SELECT number, bytes FROM batch_lines WHERE batch_id = $1 AND number > $2 AND outcome IN (${places}) ORDER BY number LIMIT $3`
  const sizes = await db.query<{ number: number; bytes: number }>(sql, [id, after, limit, ...outcomes])
  if (sizes.length === 0) return []
  const until = lastWithin(sizes, maxBytes)
  const whole = `SELECT number, custom_id AS "customId", outcome, status, request_id AS "requestId", answer FROM batch_lines
    WHERE batch_id = $1 AND number > $2 AND number <= $3 AND outcome IN (${places}) ORDER BY number`
  return await db.query<EndedLine>(whole, [id, after, until, ...outcomes])
}

type EndedQuery = { outcomes: readonly LineOutcome[]; after: number; limit: number; maxBytes: number }

function lastWithin(sizes: readonly { number: number; bytes: number }[], maxBytes: number): number {
  let bytes = 0
  const beyond = sizes.findIndex((line, index) => {
    bytes += line.bytes
    return index > 0 && bytes > maxBytes
  })
  return sizes.at(beyond < 0 ? -1 : beyond - 1)!.number
}
