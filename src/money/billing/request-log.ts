import type { LedgerRecord, RequestAttempt, RequestLine, RequestList } from '../../contract/admin/requests.ts'
import { problem } from '../../contract/problems.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { readCursor, writeCursor } from '../../platform/store/cursor.ts'
import type { Database } from '../../platform/store/database.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import { readGuardrailRuns } from '../../platform/store/ledger/guardrail-runs.ts'
import { toDollars } from '../../platform/store/ledger/money.ts'
import { readDetail, type RequestDetail } from '../../platform/store/ledger/request-detail.ts'
import { findRequests, type RequestQuestion, type StoredLine } from '../../platform/store/requests/find-requests.ts'
import type { Ledger } from './ledger.ts'
import { namesInReport } from './names-in-reports.ts'
import { withoutDust } from './token-buckets.ts'

// The request log is the ledger, call by call, with the attempts of each call.

type Services = { ledger: Ledger; db: Database }
type RequestSearch = { from: number; to: number; filter: LineFilter }

const LINES_AT_ONCE = 500
const FOREVER = { from: 0, to: Number.MAX_SAFE_INTEGER }

export async function listRequests(
  search: RequestSearch,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  { ledger, db }: Services,
): Promise<RequestList> {
  await ledger.flush()
  const [at, id] = cursor === undefined ? [] : readCursor(cursor)
  const after = at === undefined ? undefined : { at, id: id! }
  const { lines, next } = await findRequests(db, { ...search, limit, after })
  const next_cursor = next ? writeCursor({ createdAt: next.at, id: next.id }) : null
  return { items: await namedLines(db, lines), next_cursor }
}

/** All calls that pass the filter, newest first. They are read in small parts, as fast as they are taken. */
export async function* allRequests(search: RequestSearch, { ledger, db }: Services): AsyncGenerator<RequestLine> {
  await ledger.flush()
  for (let after: RequestQuestion['after']; ; ) {
    const { lines, next } = await findRequests(db, { ...search, limit: LINES_AT_ONCE, after })
    yield* await namedLines(db, lines)
    if (!next) return
    after = next
  }
}

/** One call, by its id or by the id that the caller gave to its request; of several such calls, the newest. */
export async function showRequest(id: string, visible: LineFilter, { ledger, db }: Services): Promise<LedgerRecord> {
  await ledger.flush()
  // The id of a call comes first, so that a client cannot hide another call by sending its id as a request id.
  const line = (await newestLine(db, { ...visible, callId: id })) ?? (await newestLine(db, { ...visible, id }))
  if (!line) throw problem('not_found', { message: 'There is no such call in the request log.' })
  const [shown] = await namedLines(db, [line])
  return { ...shown!, ...recordOf(line) }
}

async function newestLine(db: Database, filter: LineFilter): Promise<StoredLine | undefined> {
  const { lines } = await findRequests(db, { ...FOREVER, filter, limit: 1 })
  return lines[0]
}

/** Lines as the API shows them. */
export async function namedLines(db: Database, lines: readonly StoredLine[]): Promise<RequestLine[]> {
  const keyName = await namesInReport(
    db,
    'key',
    lines.map(({ keyId }) => keyId),
  )
  const projectName = await namesInReport(
    db,
    'project',
    lines.map(({ project }) => project),
  )
  const userName = await namesInReport(
    db,
    'user',
    lines.flatMap(({ user }) => user ?? []),
  )
  return lines.map((line) => {
    const user_name = line.user === null ? null : userName(line.user)
    return lineOf(line, { key_name: keyName(line.keyId), project_name: projectName(line.project), user_name })
  })
}

type Names = Pick<RequestLine, 'key_name' | 'project_name' | 'user_name'>

function lineOf(line: StoredLine, { key_name, project_name, user_name }: Names): RequestLine {
  const { a: attempts = [] } = readDetail(line.detail)
  return {
    id: line.id,
    at: new Date(line.at).toISOString(),
    organization: line.organization,
    project: line.project,
    project_name,
    key: line.keyId,
    key_name,
    owner: line.ownerId,
    session: line.session,
    agent: line.agent,
    parent_agent: line.parentAgent,
    client: line.client,
    user: line.user,
    user_name,
    end_user: line.endUser,
    tags: objectIn(line.tags),
    endpoint: line.endpoint,
    requested_model: line.requestedModel,
    model: line.model,
    provider: line.provider,
    status: line.status,
    code: line.code,
    stream: line.stream === 1,
    attempts: line.attempts,
    // Only an attempt at another model than that of the line has a name.
    fallback: line.attempts > 1 && attempts[0]?.[0] != null,
    upstream_ids: attempts.flatMap(([, , , , , id]) => id ?? []),
    prompt_tokens: line.promptTokens,
    cached_tokens: line.cachedTokens,
    cache_write_tokens: line.cacheWriteTokens,
    completion_tokens: line.completionTokens,
    reasoning_tokens: line.reasoningTokens,
    cost: dollars(line.costNanos),
    estimated: line.estimated === 1,
    duration_ms: line.durationMs,
    first_token_ms: line.firstTokenMs,
    batch: line.batchId,
    tier: line.tier,
  }
}

function recordOf(line: StoredLine) {
  const detail = readDetail(line.detail)
  return {
    provider_cost: dollars(line.providerCostNanos),
    price_version: line.priceVersion,
    more_tokens: objectIn(line.moreTokens),
    cost_components: componentsOf(detail, dollars(line.costNanos)),
    attempt_list: (detail.a ?? []).map((attempt) => attemptOf(attempt, line)),
    notes: (detail.n ?? []).map(([field, action, reason]) => ({ field, action, reason })),
    hooks: (detail.h ?? []).map(([action, phase, duration_ms, changed, flagged = []]) => {
      return { action, phase, duration_ms, changed: changed === 1, flagged }
    }),
    limits: (detail.l ?? []).map(([limit_id, unit, used]) => ({ limit_id, unit, used })),
    guardrails: readGuardrailRuns(line.guardrails).map(([guardrail, outcome, check, count, ...found]) => {
      return { guardrail, outcome, check, count, found }
    }),
    trace_id: detail.t ?? null,
  }
}

function attemptOf(attempt: NonNullable<RequestDetail['a']>[number], line: StoredLine): RequestAttempt {
  const [model, provider, credential, outcome, status, upstream_id, connect_ms, first_byte_ms, duration_ms, reason] =
    attempt
  return {
    model: model ?? line.model,
    provider: provider ?? line.provider,
    credential,
    outcome,
    status,
    upstream_id,
    connect_ms,
    first_byte_ms,
    duration_ms,
    reason,
  }
}

/** What is not known in detail, such as the cost of hooks and of images, is `other`. */
function componentsOf({ c: components = {} }: RequestDetail, cost: number | null): Record<string, number> {
  if (cost === null) return {}
  const sum = Object.values(components).reduce((total, part) => total + part, 0)
  const rest = withoutDust(cost - sum)
  // The ledger has whole billionths of a dollar.
  return Math.abs(rest) > 1e-9 ? { ...components, other: rest } : components
}

function dollars(nanos: number | null): number | null {
  return nanos === null ? null : toDollars(nanos)
}

function objectIn(text: string | null): Record<string, unknown> | null {
  return text === null ? null : ((tryParse(text) ?? null) as Record<string, unknown> | null)
}
