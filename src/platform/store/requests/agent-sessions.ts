import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { FAILED } from '../ledger/line-columns.ts'
import { addFilter, type LineFilter } from '../ledger/line-filter.ts'
import type { Range } from '../ledger/split-range.ts'

/** The calls of one session of a key, added up. Two keys may use the same name for their sessions. */
export type StoredSession = {
  session: string
  keyId: string
  organization: string
  project: string
  user: string | null
  client: string | null
  firstAt: number
  lastAt: number
  requests: number
  failedRequests: number
  unpricedRequests: number
  promptTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  completionTokens: number
  reasoningTokens: number
  costNanos: number
  /** The models that answered. */
  models: string[]
}

type Position = { lastAt: number; session: string; keyId: string }
type SessionQuestion = Range & { filter: LineFilter; limit: number; after?: Position | undefined }

const SUMS = `COUNT(*) AS requests, SUM(CASE WHEN ${FAILED} THEN 1 ELSE 0 END) AS "failedRequests",
  SUM(CASE WHEN cost_nanos IS NULL THEN 1 ELSE 0 END) AS "unpricedRequests",
  SUM(prompt_tokens) AS "promptTokens", SUM(cached_tokens) AS "cachedTokens", SUM(cache_write_tokens) AS "cacheWriteTokens",
  SUM(completion_tokens) AS "completionTokens", SUM(reasoning_tokens) AS "reasoningTokens", COALESCE(SUM(cost_nanos), 0) AS "costNanos"`

/** The sessions with calls in a range of time that pass the filter, the one with the latest call first. */
export async function findSessions(db: Database, question: SessionQuestion): Promise<StoredSession[]> {
  const { from, to, filter, limit, after } = question
  const values: Value[] = []
  const where = conditions(values)
  where.add('at >= ? AND at < ? AND session IS NOT NULL', [from, to])
  addFilter(where, filter, db.kind)
  const models = db.kind === 'postgres' ? 'json_agg(DISTINCT model)' : 'json_group_array(DISTINCT model)'
  const lines = `SELECT session, key_id AS "keyId", MAX(organization) AS organization, MAX(project) AS project,
      MAX(user_id) AS "user", MAX(client) AS client, MIN(at) AS "firstAt", MAX(at) AS "lastAt", ${SUMS},
      CAST(${models} AS TEXT) AS models
    FROM usage ${where.where()} GROUP BY session, key_id`
  const next = conditions(values)
  if (after)
    next.add('("lastAt" < ? OR ("lastAt" = ? AND (session, "keyId") > (?, ?)))', [
      ...[after.lastAt, after.lastAt, after.session, after.keyId],
    ])
  const sql = `SELECT * FROM (${lines}) AS sessions ${next.where()} ORDER BY "lastAt" DESC, session, "keyId" LIMIT ${limit}`
  return (await db.report<Row>(sql, values)).map(sessionOf)
}

type Row = Record<keyof StoredSession, string | number | null>

function sessionOf(row: Row): StoredSession {
  return {
    session: String(row.session),
    keyId: String(row.keyId),
    project: String(row.project),
    organization: String(row.organization),
    user: textOrNull(row.user),
    client: textOrNull(row.client),
    firstAt: Number(row.firstAt),
    lastAt: Number(row.lastAt),
    requests: Number(row.requests),
    failedRequests: Number(row.failedRequests),
    unpricedRequests: Number(row.unpricedRequests),
    promptTokens: Number(row.promptTokens),
    cachedTokens: Number(row.cachedTokens),
    cacheWriteTokens: Number(row.cacheWriteTokens),
    completionTokens: Number(row.completionTokens),
    reasoningTokens: Number(row.reasoningTokens),
    costNanos: Number(row.costNanos),
    models: (JSON.parse(String(row.models)) as string[]).filter((model) => model !== ''),
  }
}

function textOrNull(value: string | number | null): string | null {
  return value === null ? null : String(value)
}
