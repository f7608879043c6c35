import type { Database, Statement, Value } from './database.ts'
import { toNanos } from './ledger/money.ts'
import { rollUpSql } from './ledger/rollups.ts'
import { type Charge, SETTLE_INSERTED, settleNewLines } from './limits/charges.ts'
import { multiRow } from './multi-row.ts'

export type UsageRow = {
  /** The request's id. */
  id: string
  at: number
  keyId: string
  owner: string
  endpoint: string
  model: string
  provider: string
  status: number
  code: string | null
  stream: boolean
  attempts: number
  promptTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  completionTokens: number
  reasoningTokens: number
  /** In dollars. The store keeps billionths of a dollar. */
  cost: number | null
  estimated: boolean
  durationMs: number
  firstTokenMs: number | null
  /** Buckets that most calls do not have (audio, images, one-hour cache), by name. Null if there are none. */
  moreTokens: Record<string, number> | null
  /** The day on which the prices were checked. Null if the cost is not from the catalog. */
  priceVersion: string | null
  /** The cost that the provider itself reported. */
  providerCost: number | null
  /** What the line settles of budgets and rate limits; absent or null if there are none. */
  charges?: readonly Charge[] | null | undefined
}

const COLUMNS = `id, at, key_id, owner, endpoint, model, provider, status, code, stream, attempts, prompt_tokens,
  cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, estimated, duration_ms,
  first_token_ms, more_tokens, price_version, provider_cost_nanos, charges`
const NAMES = COLUMNS.split(/,\s*/)
const TEXTS = new Set([
  ...['id', 'key_id', 'owner', 'endpoint', 'model', 'provider', 'code'],
  ...['more_tokens', 'price_version', 'charges'],
])

/** Inserts all rows or none, and adds them to the roll-ups. Inserting a row again does no harm, because each id counts once. */
export async function insertUsage(db: Database, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  if (db.kind === 'postgres') await db.transaction([insertOnPostgres(rows)])
  else await db.transaction([...MARK_LAST_LINE, ...insertLines(rows), ...settled(rows), ROLL_UP_NEW_LINES])
}

/** The end of a job, as the statement that ends it writes it. */
export type EndedJob = { id: string; attempt: number; status: string; finishedAt: number }

/** Comes after the statement that ends the job, and inserts the row only if that statement did. */
export function insertUsageOfJob(db: Database, row: UsageRow, ended: EndedJob): Statement[] {
  const { id, attempt, status, finishedAt } = ended
  const values: Value[] = []
  appendUsage(values, row)
  const columns = NAMES.map((name, index) => `CAST($${index + 1} AS ${typeOf(name)}) AS ${name}`)
  const [$id, $attempt, $state, $finished] = [1, 2, 3, 4].map((index) => `$${values.length + index}`)
  const line = `SELECT ${columns} WHERE EXISTS (
      SELECT 1 FROM jobs WHERE id = ${$id} AND attempt = ${$attempt} AND state = ${$state} AND finished_at = ${$finished})`
  const all = [...values, id, attempt, status, finishedAt]
  if (db.kind === 'postgres') return [{ sql: insertAndRollUp(line, hasCharges([row])), values: all }]
  const insert = { sql: `INSERT INTO usage (${COLUMNS}) ${line} ON CONFLICT (at, id) DO NOTHING`, values: all }
  return [...MARK_LAST_LINE, insert, ...settled([row]), ROLL_UP_NEW_LINES]
}

/** PostgreSQL says which of the lines it did not have yet, and only those are rolled up. */
function insertAndRollUp(lines: string, hasCharges: boolean): string {
  return `WITH inserted AS (
      INSERT INTO usage (${COLUMNS}) ${lines} ON CONFLICT (at, id) DO NOTHING RETURNING ${COLUMNS}
    )${hasCharges ? SETTLE_INSERTED : ''} ${rollUpSql('inserted')}`
}

function hasCharges(rows: readonly UsageRow[]): boolean {
  return rows.some(({ charges }) => charges?.length)
}

const LISTED = `SELECT ${COLUMNS} FROM json_to_recordset(CAST($1 AS JSON)) AS line (
  ${NAMES.map((name) => `${name} ${typeOf(name)}`).join(', ')})`
const INSERT_LIST = insertAndRollUp(LISTED, false)
const INSERT_CHARGED_LIST = insertAndRollUp(LISTED, true)

/** One text for any number of rows: encoding 23 values of each row takes longer. */
function insertOnPostgres(rows: readonly UsageRow[]): Statement {
  const text = JSON.stringify(rows.map(toRecord))
  // PostgreSQL refuses these in a text, and they would block the whole batch forever.
  const isRefused = /\\u(?:0000|d[89a-f])/.test(text)
  const sql = hasCharges(rows) ? INSERT_CHARGED_LIST : INSERT_LIST
  return { sql, values: [isRefused ? JSON.stringify(rows.map(toRecord), storable) : text] }
}

function toRecord(row: UsageRow): Record<string, Value> {
  const values: Value[] = []
  appendUsage(values, row)
  return Object.fromEntries(NAMES.map((name, index) => [name, values[index]!]))
}

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value
}

// SQLite cannot say which lines it did not have yet. But it numbers lines upwards, and has one writer at a time: new lines
// are those with a higher number than the last line had before the batch.

const MARK_LAST_LINE: Statement[] = [
  { sql: 'CREATE TEMP TABLE IF NOT EXISTS last_line (number INTEGER)' },
  { sql: 'DELETE FROM last_line' },
  { sql: 'INSERT INTO last_line SELECT COALESCE(MAX(rowid), 0) FROM usage' },
]

const insertLines = multiRow<UsageRow>({
  columns: NAMES.length,
  sql: (tuples) => `INSERT INTO usage (${COLUMNS}) VALUES ${tuples} ON CONFLICT (at, id) DO NOTHING`,
  append: appendUsage,
})

const IS_NEW = 'usage.rowid > (SELECT number FROM last_line)'
const ROLL_UP_NEW_LINES: Statement = { sql: rollUpSql(`(SELECT * FROM usage WHERE ${IS_NEW})`) }
const SETTLE_NEW_LINES = settleNewLines(IS_NEW)

function settled(rows: readonly UsageRow[]): Statement[] {
  return hasCharges(rows) ? SETTLE_NEW_LINES : []
}

function typeOf(column: string): string {
  return TEXTS.has(column) ? 'TEXT' : 'BIGINT'
}

function appendUsage(values: Value[], row: UsageRow) {
  values.push(
    row.id,
    whole(row.at),
    row.keyId,
    row.owner,
    row.endpoint,
    row.model,
    row.provider,
    whole(row.status),
    row.code,
    row.stream ? 1 : 0,
    whole(row.attempts),
    whole(row.promptTokens),
    whole(row.cachedTokens),
    whole(row.cacheWriteTokens),
    whole(row.completionTokens),
    whole(row.reasoningTokens),
    toNanos(row.cost),
    row.estimated ? 1 : 0,
    whole(row.durationMs),
    row.firstTokenMs === null ? null : whole(row.firstTokenMs),
    row.moreTokens && JSON.stringify(row.moreTokens),
    row.priceVersion,
    toNanos(row.providerCost),
    row.charges?.length ? JSON.stringify(row.charges) : null,
  )
}

/** More than any call has. Millions of such figures can still be added up. */
const MAX_COUNT = 1e13

/** Some providers report odd token counts. A fraction or NaN must not keep a batch of rows out of the ledger forever. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(-MAX_COUNT, Math.min(Math.round(count), MAX_COUNT)) : 0
}
