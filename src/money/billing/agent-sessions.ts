import type { AgentSession, AgentSessionList } from '../../contract/admin/agent-sessions.ts'
import type { RequestLine } from '../../contract/admin/requests.ts'
import { problem } from '../../contract/problems.ts'
import { isRecord } from '../../base/schema/record.ts'
import { readCursor, writeCursor } from '../../platform/store/cursor.ts'
import type { Database } from '../../platform/store/database.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import { toDollars } from '../../platform/store/ledger/money.ts'
import { findSessions, type StoredSession } from '../../platform/store/requests/agent-sessions.ts'
import { findRequests } from '../../platform/store/requests/find-requests.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { Ledger } from './ledger.ts'
import { namesInReport } from './names-in-reports.ts'
import { namedLines } from './request-log.ts'

// Sessions of agents, as the ledger has them: a session is known by its calls, and nothing else is stored of it.

type Services = { ledger: Ledger; db: Database }
type SessionSearch = { from: number; to: number; filter: LineFilter }
/** A key, and what it calls the session. */
type SessionKey = { key: string; session: string }

const FOREVER = { from: 0, to: Number.MAX_SAFE_INTEGER }
const MAX_TURNS = 200
const MAX_MODELS = 50

export async function listSessions(
  search: SessionSearch,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  { ledger, db }: Services,
): Promise<AgentSessionList> {
  await ledger.flush()
  const found = await findSessions(db, { ...search, limit: limit + 1, after: positionIn(cursor) })
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1)! : undefined
  const next_cursor = last ? writeCursor({ createdAt: last.lastAt, id: idOf(last) }) : null
  return { items: await named(page, db), next_cursor }
}

function positionIn(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [lastAt, id] = readCursor(cursor)
  const { key: keyId, session } = sessionNamed(id)
  return { lastAt, session, keyId }
}

/** A session with its latest calls. */
export async function showSession(
  { key, session }: SessionKey,
  visible: LineFilter,
  { ledger, db }: Services,
): Promise<AgentSession & { turns: RequestLine[] }> {
  await ledger.flush()
  const filter = { ...visible, key, session }
  const [found] = await findSessions(db, { ...FOREVER, filter, limit: 1 })
  if (!found) throw noSuchSession()
  const { lines } = await findRequests(db, { ...FOREVER, filter, limit: MAX_TURNS })
  const [shown] = await named([found], db)
  return { ...shown!, turns: await namedLines(db, lines) }
}

async function named(sessions: readonly StoredSession[], db: Database): Promise<AgentSession[]> {
  const ids = { key: sessions.map(({ keyId }) => keyId), project: sessions.map(({ project }) => project) }
  const keyName = await namesInReport(db, 'key', ids.key)
  const projectName = await namesInReport(db, 'project', ids.project)
  return sessions.map((one) => ({
    id: idOf(one),
    session: one.session,
    client: one.client,
    organization: one.organization,
    project: one.project,
    project_name: projectName(one.project),
    key: one.keyId,
    key_name: keyName(one.keyId),
    user: one.user,
    first_at: new Date(one.firstAt).toISOString(),
    last_at: new Date(one.lastAt).toISOString(),
    requests: one.requests,
    failed_requests: one.failedRequests,
    unpriced_requests: one.unpricedRequests,
    prompt_tokens: one.promptTokens,
    cached_tokens: one.cachedTokens,
    cache_write_tokens: one.cacheWriteTokens,
    completion_tokens: one.completionTokens,
    reasoning_tokens: one.reasoningTokens,
    cost: toDollars(one.costNanos),
    models: one.models.slice(0, MAX_MODELS),
  }))
}

/** Callers may give any name to a session, so paths have an id that stands for it. */
function idOf({ keyId, session }: Pick<StoredSession, 'keyId' | 'session'>): string {
  return Buffer.from(JSON.stringify({ k: keyId, s: session })).toString('base64url')
}

/** The session that an id stands for. */
export function sessionNamed(id: string): SessionKey {
  const value = tryParse(Buffer.from(id, 'base64url').toString())
  if (isRecord(value) && typeof value.k === 'string' && typeof value.s === 'string')
    return { key: value.k, session: value.s }
  throw noSuchSession()
}

function noSuchSession() {
  return problem('not_found', { message: 'There is no such session.' })
}
