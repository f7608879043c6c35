import type { Database, Statement, Value } from './database.ts'
import { toNanos } from './ledger/money.ts'
import { type LabelCounts, labelCounts } from './ledger/rolled-labels.ts'
import { rollUpLabelsSql, rollUpSql } from './ledger/rollups.ts'
import { type Charge, SETTLE_INSERTED, settleNewLines, storableCharges } from './limits/charges.ts'
import { multiRow } from './multi-row.ts'
import { storableJson } from './json/storable-json.ts'
import { type RequestDetail, writeDetail } from './ledger/request-detail.ts'

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
  /** Null in lines of versions before projects: then the owner says it. */
  organization: string | null
  project: string | null
  /** The person or service that the key belongs to, if it belongs to one. */
  user: string | null
  /** What the caller said about the call; see calls/labels.ts. */
  endUser: string | null
  tags: Readonly<Record<string, string>> | null
  requestedModel: string | null
  /** What the request log shows beside the line. */
  detail: RequestDetail | null
  /** What the line settles of budgets and rate limits; absent or null if there are none. */
  charges?: readonly Charge[] | null | undefined
}

const COLUMNS = `id, at, key_id, owner, endpoint, model, provider, status, code, stream, attempts, prompt_tokens,
  cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, estimated, duration_ms,
  first_token_ms, more_tokens, price_version, provider_cost_nanos, organization, project, user_id, end_user, tags,
  rolled_labels, requested_model, detail, charges`
const NAMES = COLUMNS.split(/,\s*/)
const TEXTS = new Set([
  ...['id', 'key_id', 'owner', 'endpoint', 'model', 'provider', 'code'],
  ...['more_tokens', 'price_version', 'organization', 'project', 'user_id', 'end_user', 'tags', 'rolled_labels'],
  ...['requested_model', 'detail', 'charges'],
])

/** Inserts all rows or none, and adds them to the roll-ups. Inserting a row again does no harm, because each id counts once. */
export async function insertUsage(db: Database, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.transaction(insertions(db, rows))
}

/** The statements that insert all rows. */
export function insertions(db: Database, rows: readonly UsageRow[]): Statement[] {
  const lines = counted(rows, labelCounts(db))
  if (db.kind === 'postgres') return [insertOnPostgres(lines)]
  return [...MARK_LAST_LINE, ...insertLines(lines), ...countNewLines(lines)]
}

/** A row with what it is counted as in the roll-ups of labels, and what it is charged to. */
type CountedRow = { row: UsageRow; rolled: Record<string, string> | null; charges: readonly Charge[] | null }

function counted(rows: readonly UsageRow[], counts: LabelCounts): CountedRow[] {
  return rows.map((row) => ({ row, rolled: counts.of(row), charges: storableCharges(row.charges) }))
}

function hasLabels(lines: readonly CountedRow[]): boolean {
  return lines.some(({ rolled }) => rolled !== null)
}

function hasCharges(lines: readonly CountedRow[]): boolean {
  return lines.some(({ charges }) => charges !== null)
}

/** The end of a job, as the statement that ends it writes it. */
export type EndedJob = { id: string; attempt: number; status: string; finishedAt: number }

/** Comes after the statement that ends the job, and inserts the row only if that statement did. */
export function insertUsageOfJob(db: Database, row: UsageRow, ended: EndedJob): Statement[] {
  const { id, attempt, status, finishedAt } = ended
  const values: Value[] = []
  const lines = counted([row], labelCounts(db))
  appendUsage(values, lines[0]!)
  const columns = NAMES.map((name, index) => `CAST($${index + 1} AS ${typeOf(name)}) AS ${name}`)
  const [$id, $attempt, $state, $finished] = [1, 2, 3, 4].map((index) => `$${values.length + index}`)
  const line = `SELECT ${columns} WHERE EXISTS (
      SELECT 1 FROM jobs WHERE id = ${$id} AND attempt = ${$attempt} AND state = ${$state} AND finished_at = ${$finished})`
  const all = [...values, id, attempt, status, finishedAt]
  if (db.kind === 'postgres') return [{ sql: insertAndCount(line, lines), values: all }]
  const insert = { sql: `INSERT INTO usage (${COLUMNS}) ${line} ON CONFLICT (at, id) DO NOTHING`, values: all }
  return [...MARK_LAST_LINE, insert, ...countNewLines(lines)]
}

/** PostgreSQL says which of the lines it did not have yet, and only those are rolled up and charged to limits. */
function insertAndCount(source: string, lines: readonly CountedRow[]): string {
  const labels = hasLabels(lines) ? `, labels AS (${rollUpLabelsSql('inserted', 'postgres')})` : ''
  return `WITH inserted AS (
      INSERT INTO usage (${COLUMNS}) ${source} ON CONFLICT (at, id) DO NOTHING RETURNING ${COLUMNS}
    )${labels}${hasCharges(lines) ? SETTLE_INSERTED : ''} ${rollUpSql('inserted')}`
}

const LIST = `SELECT ${COLUMNS} FROM json_to_recordset(CAST($1 AS JSON)) AS line (
  ${NAMES.map((name) => `${name} ${typeOf(name)}`).join(', ')})`

/** One text for any number of rows: encoding all values of each row takes longer. */
function insertOnPostgres(rows: readonly CountedRow[]): Statement {
  return { sql: insertAndCount(LIST, rows), values: [storableJson(rows.map(toRecord))] }
}

function toRecord(row: CountedRow): Record<string, Value> {
  const values: Value[] = []
  appendUsage(values, row)
  return Object.fromEntries(NAMES.map((name, index) => [name, values[index]!]))
}

// SQLite cannot say which lines it did not have yet. But it numbers lines upwards, and has one writer at a time: new lines
// are those with a higher number than the last line had before the batch.

const MARK_LAST_LINE: Statement[] = [
  { sql: 'CREATE TEMP TABLE IF NOT EXISTS last_line (number INTEGER)' },
  { sql: 'DELETE FROM last_line' },
  { sql: 'INSERT INTO last_line SELECT COALESCE(MAX(rowid), 0) FROM usage' },
]

const insertLines = multiRow<CountedRow>({
  columns: NAMES.length,
  sql: (tuples) => `INSERT INTO usage (${COLUMNS}) VALUES ${tuples} ON CONFLICT (at, id) DO NOTHING`,
  append: appendUsage,
})

const IS_NEW = 'usage.rowid > (SELECT number FROM last_line)'
const NEW_LINES = `(SELECT * FROM usage WHERE ${IS_NEW})`
const ROLL_UP_NEW_LINES: Statement = { sql: rollUpSql(NEW_LINES) }
const ROLL_UP_NEW_LABELS: Statement = { sql: rollUpLabelsSql(NEW_LINES, 'sqlite') }
const settle = settleNewLines(IS_NEW)

/** Adds the new lines to the roll-ups, and to what is spent of limits. */
function countNewLines(lines: readonly CountedRow[]): Statement[] {
  return [
    ...(hasCharges(lines) ? settle(lines.map(({ charges }) => charges)) : []),
    ROLL_UP_NEW_LINES,
    ...(hasLabels(lines) ? [ROLL_UP_NEW_LABELS] : []),
  ]
}

function typeOf(column: string): string {
  return TEXTS.has(column) ? 'TEXT' : 'BIGINT'
}

function appendUsage(values: Value[], { row, rolled, charges }: CountedRow) {
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
    row.organization,
    row.project,
    row.user,
    row.endUser,
    row.tags && JSON.stringify(row.tags),
    rolled && JSON.stringify(rolled),
    row.requestedModel,
    writeDetail(row.detail),
    charges && JSON.stringify(charges),
  )
}

/** More than any call has. Millions of such figures can still be added up. */
const MAX_COUNT = 1e13

/** Some providers report odd token counts. A fraction or NaN must not keep a batch of rows out of the ledger forever. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(-MAX_COUNT, Math.min(Math.round(count), MAX_COUNT)) : 0
}
