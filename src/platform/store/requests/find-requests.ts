import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { addFilter, type LineFilter } from '../ledger/line-filter.ts'
import type { Range } from '../ledger/split-range.ts'

/** A line of the ledger, as it is stored. */
export type StoredLine = {
  id: string
  at: number
  organization: string
  project: string
  keyId: string
  ownerId: string
  user: string | null
  endUser: string | null
  session: string | null
  agent: string | null
  parentAgent: string | null
  client: string | null
  tags: string | null
  endpoint: string
  requestedModel: string | null
  model: string
  provider: string
  status: number
  code: string | null
  stream: number
  attempts: number
  promptTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  completionTokens: number
  reasoningTokens: number
  moreTokens: string | null
  costNanos: number | null
  providerCostNanos: number | null
  estimated: number
  priceVersion: string | null
  durationMs: number
  firstTokenMs: number | null
  detail: string | null
  guardrails: string | null
  batchId: string | null
  tier: string | null
}

const COLUMNS = `id, at, organization, project, key_id AS "keyId", owner_id AS "ownerId", user_id AS "user",
  end_user AS "endUser", session, agent, parent_agent AS "parentAgent", client, tags, endpoint, requested_model AS "requestedModel", model, provider, status, code, stream, attempts,
  prompt_tokens AS "promptTokens", cached_tokens AS "cachedTokens", cache_write_tokens AS "cacheWriteTokens",
  completion_tokens AS "completionTokens", reasoning_tokens AS "reasoningTokens", more_tokens AS "moreTokens",
  cost_nanos AS "costNanos", provider_cost_nanos AS "providerCostNanos", estimated, price_version AS "priceVersion",
  duration_ms AS "durationMs", first_token_ms AS "firstTokenMs", detail, guardrails, batch_id AS "batchId", tier`

/** A position in the order of the list: newest first. */
type Position = { at: number; id: string }

export type RequestQuestion = Range & { filter: LineFilter; limit: number; after?: Position | undefined }

/** A page may be short, or empty, although there are more lines. */
export type RequestPage = { lines: StoredLine[]; next: Position | undefined }

/**
 * How many lines are looked at for one page. A filter that few lines pass is not searched for to the end of the ledger: the
 * page is short then, and the next one goes on from where this one stopped.
 */
const SCANNED_LINES = 20_000
/** Lines that an index chooses are far from each other, and reading one of them takes four times as long. */
const SCATTERED_LINES = 5_000

/** The lines that pass a filter, newest first. The filter that an index serves chooses the lines that are looked at. */
export async function findRequests(db: Database, question: RequestQuestion): Promise<RequestPage> {
  const { limit } = question
  const { indexed, others } = splitFilter(question.filter)
  const values: Value[] = []
  const found = await db.report<StoredLine>(pageSql(db, question, values), values)
  if (found.length > limit) return { lines: found.slice(0, limit), next: positionOf(found[limit - 1]!) }
  return { lines: found, next: isEmpty(others) ? undefined : await lastScanned(db, question, indexed) }
}

function pageSql(db: Database, question: RequestQuestion, values: Value[]): string {
  const { indexed, others } = splitFilter(question.filter)
  const leading = leadingIn(db, indexed)
  const columns = leading ? `*, ${leading.column} AS first_column` : '*'
  const rows = question.limit + 1
  const scanned = `${scanSql(db, question, indexed, values)} LIMIT ${isEmpty(others) ? rows : scannedLines(indexed)}`
  const where = conditions(values)
  addFilter(where, others, db.kind)
  const order = leading ? orderOf('first_column') : 'at DESC, id DESC'
  return `SELECT ${COLUMNS} FROM (SELECT ${columns} FROM usage ${scanned}) AS usage ${where.where()} ORDER BY ${order} LIMIT ${rows}`
}

function isEmpty(filter: LineFilter): boolean {
  return Object.keys(filter).length === 0
}

/** How many lines of a range pass a filter. It counts no further than a page looks. */
export async function countRequests(
  db: Database,
  { filter, ...range }: Range & { filter: LineFilter },
): Promise<number> {
  const values: Value[] = []
  const { sql: newest, others } = newestLines(db, { ...range, filter, limit: SCANNED_LINES }, values)
  const where = conditions(values)
  addFilter(where, others, db.kind)
  const sql = `SELECT COUNT(*) AS count FROM (${newest}) AS usage ${where.where()}`
  return (await db.report<{ count: number }>(sql, values))[0]!.count
}

/** The newest lines of a range, in SQL, and what of the filter is left to compare in them. */
export function newestLines(
  db: Database,
  { filter, limit, ...range }: Range & { filter: LineFilter; limit: number },
  values: Value[],
): { sql: string; others: LineFilter } {
  const { indexed, others } = splitFilter(filter)
  const scanned = scanSql(db, { ...range, filter, limit }, indexed, values)
  return { sql: `SELECT * FROM usage ${scanned} LIMIT ${limit}`, others }
}

/** Where the scan stopped; undefined if it came to the end. */
async function lastScanned(
  db: Database,
  question: RequestQuestion,
  indexed: LineFilter,
): Promise<Position | undefined> {
  const values: Value[] = []
  const scanned = scanSql(db, question, indexed, values)
  const sql = `SELECT at, id FROM usage ${scanned} LIMIT 1 OFFSET ${scannedLines(indexed) - 1}`
  return (await db.report<Position>(sql, values))[0]
}

function scannedLines(indexed: LineFilter): number {
  return isEmpty(indexed) ? SCANNED_LINES : SCATTERED_LINES
}

/** The lines of a range, from a position on, that pass the filter of one index, in the order of the list. */
function scanSql(db: Database, question: RequestQuestion, indexed: LineFilter, values: Value[]): string {
  const leading = leadingIn(db, indexed)
  if (leading) return scanIndex(leading, question, values)
  const { from, to, after } = question
  const where = conditions(values)
  // An id is in very few lines. With the sign, no store looks for them on its way through the time instead.
  const time = (indexed.id ?? indexed.callId) === undefined ? 'at' : '+at'
  where.add(`${time} >= ? AND ${time} < ?`, [from, after ? Math.min(to, after.at + 1) : to])
  if (after) where.add('(at, id) < (?, ?)', [after.at, after.id])
  const { fallback, guardrail, ...others } = indexed
  // The index has all calls with several attempts; whether the last one was a fallback is looked up in each.
  if (fallback) where.add('attempts > 1')
  // As has this one all calls in which any guardrail did something.
  if (guardrail) where.add('guardrails IS NOT NULL')
  addFilter(where, others, db.kind)
  return `${where.where()} ORDER BY ${time} DESC, id DESC`
}

type Leading = { column: string; value: string }

/** The column with which the index of a filter begins, if PostgreSQL has to be told to use that index. */
function leadingIn({ kind }: Database, indexed: LineFilter): Leading | undefined {
  const name = (Object.keys(LEADING) as (keyof typeof LEADING)[]).find((one) => indexed[one] !== undefined)
  return kind === 'postgres' && name ? { column: LEADING[name], value: indexed[name]! } : undefined
}

const LEADING = {
  batchId: 'batch_id',
  session: 'session',
  endUser: 'end_user',
  user: 'user_id',
  key: 'key_id',
  project: 'project',
} as const

/**
 * The lines of an index, in its order. If it were asked for `key_id = ?`, PostgreSQL would believe that it meets enough lines of a
 * frequent key on its way through the time, and would read millions of others if that key is not in use any more. So the
 * conditions are those of places in the index.
 */
function scanIndex({ column, value }: Leading, { from, to, after }: RequestQuestion, values: Value[]): string {
  const where = conditions(values)
  const until = after ? Math.min(to, after.at + 1) : to
  // Chooses the partitions, and the indexes that leave lines without a value out.
  where.add(`at >= ? AND at < ? AND ${column} IS NOT NULL`, [from, until])
  where.add(`(${column}, at) >= (?, ?) AND (${column}, at) < (?, ?)`, [value, from, value, until])
  if (after) where.add(`(${column}, at, id) < (?, ?, ?)`, [value, after.at, after.id])
  return `${where.where()} ORDER BY ${orderOf(column)}`
}

/** Of lines that have the same in this column, it is the order of the list. */
function orderOf(column: string): string {
  return `${column} DESC, at DESC, id DESC`
}

/** Filters with an index, the most selective first. Only one of them chooses lines, so that the work has a bound. */
const INDEXED = [
  'callId',
  'id',
  'batchId',
  'session',
  'endUser',
  'user',
  'key',
  'fallback',
  'failed',
  'project',
  'guardrail',
] as const

function splitFilter(filter: LineFilter): { indexed: LineFilter; others: LineFilter } {
  const completed: LineFilter = isFailure(filter) ? { failed: true, ...filter } : filter
  const name = INDEXED.find((one) => isIndexed(completed, one))
  if (name === undefined) return { indexed: {}, others: completed }
  const { [name]: value, ...rest } = completed
  const others = name === 'fallback' || name === 'guardrail' ? completed : rest
  return { indexed: { [name]: value }, others }
}

/** Calls in which a guardrail found nothing are found on the way through the time. */
function isIndexed(filter: LineFilter, name: (typeof INDEXED)[number]): boolean {
  if (name === 'guardrail' && filter.guardrail?.outcome === 'passed') return false
  return filter[name] !== undefined && filter[name] !== false && filter[name] !== ''
}

/** Statuses and codes of failures are among the failures, of which there is an index. */
function isFailure({ failed, status, exactStatus = 0, code }: LineFilter): boolean {
  return failed === undefined && (code !== undefined || exactStatus >= 400 || status === '4xx' || status === '5xx')
}

function positionOf({ at, id }: StoredLine): Position {
  return { at, id }
}
