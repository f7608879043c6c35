import type { Database, Statement, Value } from './database.ts'
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
}

export type UsageGroup = 'key' | 'model' | 'provider' | 'day'

export type UsageSum = {
  group: string
  requests: number
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  /** The cost of the requests whose cost is known; `unpricedRequests` says how many others there are. */
  cost: number
  unpricedRequests: number
  failedRequests: number
}

const DAY_MS = 86_400_000

const GROUP_EXPRESSIONS: Record<UsageGroup, string> = {
  key: 'key_id',
  model: 'model',
  provider: 'provider',
  // The number of the day in UTC. The two databases share no function that would format it as a date.
  day: `at / ${DAY_MS}`,
}

const COLUMNS = `id, at, key_id, owner, endpoint, model, provider, status, code, stream, attempts, prompt_tokens,
  cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost, estimated, duration_ms, first_token_ms,
  more_tokens, price_version, provider_cost`

/** Inserts all rows or none. Inserting a row again does no harm, because each id counts once. */
export async function insertUsage(db: Database, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length > 0) await db.transaction(insertStatements(rows))
}

const insertStatements = multiRow<UsageRow>({
  columns: COLUMNS.split(',').length,
  sql: (tuples) => `INSERT INTO usage (${COLUMNS}) VALUES ${tuples} ON CONFLICT (at, id) DO NOTHING`,
  append: appendUsage,
})

/** The end of a job, as the statement that ends it writes it. */
export type EndedJob = { id: string; attempt: number; status: string; finishedAt: number }

/** Comes after the statement that ends the job, and inserts the row only if that statement did. */
export function insertUsageOfJob(row: UsageRow, { id, attempt, status, finishedAt }: EndedJob): Statement {
  const values: Value[] = []
  appendUsage(values, row)
  const columns = values.map((_, index) => `$${index + 1}`)
  const [$id, $attempt, $state, $finished] = [1, 2, 3, 4].map((index) => `$${values.length + index}`)
  const sql = `INSERT INTO usage (${COLUMNS}) SELECT ${columns} WHERE EXISTS (
      SELECT 1 FROM jobs WHERE id = ${$id} AND attempt = ${$attempt} AND state = ${$state} AND finished_at = ${$finished}
    ) ON CONFLICT (at, id) DO NOTHING`
  return { sql, values: [...values, id, attempt, status, finishedAt] }
}

/** Sums the requests with `from` ≤ time < `to`. */
export async function sumUsage(
  db: Database,
  { from, to, groupBy }: { from: number; to: number; groupBy: UsageGroup },
): Promise<UsageSum[]> {
  const rows = await db.query<UsageSum & { group: string | number }>(
    `SELECT ${GROUP_EXPRESSIONS[groupBy]} AS "group",
       COUNT(*) AS "requests",
       SUM(prompt_tokens) AS "promptTokens",
       SUM(cached_tokens) AS "cachedTokens",
       SUM(completion_tokens) AS "completionTokens",
       COALESCE(SUM(cost), 0) AS "cost",
       SUM(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS "unpricedRequests",
       SUM(CASE WHEN status >= 400 OR code IS NOT NULL THEN 1 ELSE 0 END) AS "failedRequests"
     FROM usage WHERE at >= $1 AND at < $2 GROUP BY 1 ORDER BY 1`,
    [from, to],
  )
  return rows.map((row) => ({ ...row, group: groupBy === 'day' ? toDate(Number(row.group)) : row.group }))
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
    row.cost !== null && Number.isFinite(row.cost) ? row.cost : null,
    row.estimated ? 1 : 0,
    whole(row.durationMs),
    row.firstTokenMs === null ? null : whole(row.firstTokenMs),
    row.moreTokens && JSON.stringify(row.moreTokens),
    row.priceVersion,
    row.providerCost,
  )
}

/** Some providers report odd token counts. A fraction or NaN must not keep a batch of rows out of the ledger forever. */
function whole(count: number): number {
  if (Number.isSafeInteger(count)) return count
  return Number.isFinite(count)
    ? Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Math.round(count), Number.MAX_SAFE_INTEGER))
    : 0
}

function toDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
