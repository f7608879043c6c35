import type { AuditEvent, Author, Via } from '../audit/author.ts'
import { audited } from '../audit/audited.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor, Membership } from '../people/actor.ts'
import { digestOfSecret, newSecret } from '../people/secret.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import {
  findSession,
  keepSession,
  type Listener,
  listSessions,
  type StoredSession,
  sessionEnd,
  sessionInsertion,
  sessionsEnd,
} from '../../platform/store/people/sessions.ts'
import { agentSessionsEnd, listAgentSessions, ownAgentSessionEnd } from '../../platform/store/agents/agent-sessions.ts'
import type { StoredMember } from '../../platform/store/people/members.ts'
import type { StoredUser } from '../../platform/store/people/users.ts'
import { userUpdate } from '../../platform/store/people/users.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/units/units.ts'

// A session is a row in the store, which is asked at every request: a session that was ended in one process has ended in all.

const IDLE_MS = 12 * HOUR_MS
const LONGEST_MS = 7 * 24 * HOUR_MS
/** On the page for the code of a coding agent. A code is valid for ten minutes. */
const LONGEST_ON_PAGE_MS = 20 * MINUTE_MS
/** The end of an idle session is not written at every request. */
const WRITE_EVERY_MS = 60_000
const MAX_AGENT_CHARS = 200
const TOKEN = /^[\w-]{43}$/

export const SESSION_SECONDS = LONGEST_MS / 1_000
export const PAGE_SESSION_SECONDS = LONGEST_ON_PAGE_MS / 1_000

export type SessionServices = {
  db: Database
  now(): number
  newId(): string
  /** Sessions of coding agents are keys: this process hears of their end at once, the others within seconds. */
  keyCache?: { refresh(): Promise<void> }
}

/** Where a sign-in comes from, and the listener that it is for: its session is valid on no other. */
export type SignInOrigin = { ip: string; agent: string | undefined; request: string | null; listener: Listener }

export type OpenedSession = { token: string; session: StoredSession }

/**
 * Opens a session with a new token for a person who has proved to be this user. `changes` are done in the same transaction,
 * for example those of an accepted invitation, and so are `events` noted.
 */
export async function openSession(
  user: Pick<StoredUser, 'id'>,
  { id, via, origin, changes = [], events = [] }: Opening,
  { db, now, newId }: SessionServices,
): Promise<OpenedSession | undefined> {
  const { secret: token, digest } = newSecret()
  const at = now()
  const longestMs = origin.listener === 'api' ? LONGEST_ON_PAGE_MS : LONGEST_MS
  const session: StoredSession = {
    id: id ?? newId(),
    userId: user.id,
    createdAt: at,
    expiresAt: at + longestMs,
    idleAt: at + Math.min(IDLE_MS, longestMs),
    ip: origin.ip,
    agent: origin.agent?.slice(0, MAX_AGENT_CHARS) ?? null,
    via,
    listener: origin.listener,
  }
  const author: Author = { actor: `user:${user.id}`, via, ip: origin.ip, request: origin.request }
  const signedIn = { action: 'sign_in.succeed', object: `session:${session.id}` }
  const statements = [...changes, ...sessionInsertion({ ...session, digest }), userUpdate(user.id, { lastSeenAt: at })]
  const results = await audited(db, author, ...events, signedIn).transaction(statements)
  const isDone = results.length === statements.length && results.at(-1)!.changes > 0
  return isDone ? { token, session } : undefined
}

/** `id` is that of the session, if `changes` name it. */
type Opening = {
  id?: string
  via: Via
  origin: SignInOrigin
  changes?: readonly Statement[]
  events?: readonly AuditEvent[]
}

/**
 * The actor that this token belongs to, as the store says now. A use extends an idle session; `isUse` is false for requests
 * that a page makes by itself.
 */
export async function actorOfSession(
  token: string,
  { db, now }: SessionServices,
  { isUse = true, listener = 'admin' as Listener } = {},
): Promise<Actor | undefined> {
  if (!TOKEN.test(token)) return undefined
  const at = now()
  const found = await findSession(db, { digest: digestOfSecret(token), listener }, at)
  if (!found) return undefined
  const { session, user, memberships } = found
  const idleAt = Math.min(at + IDLE_MS, session.expiresAt)
  if (isUse && idleAt > session.idleAt + WRITE_EVERY_MS) await keepSession(db, session.id, idleAt)
  return { ...actorOfUser(user, memberships), via: 'session', session: session.id }
}

export function actorOfUser(
  { id, name, email, kind }: Pick<StoredUser, 'id' | 'name' | 'email' | 'kind'>,
  memberships: readonly StoredMember[],
): Actor {
  const roles = memberships.map(({ organization, project, role }) => ({ organization, project, role }) as Membership)
  const isPerson = kind === 'person'
  return {
    kind: isPerson ? 'user' : 'service',
    id,
    name: email ?? name,
    memberships: roles,
    via: isPerson ? 'session' : 'token',
  }
}

type ShownSession = Pick<StoredSession, 'id' | 'via' | 'ip' | 'agent' | 'createdAt' | 'expiresAt' | 'idleAt'> & {
  kind: 'console' | 'page' | 'agent'
  project: string | null
}

/** Sessions in browsers, and those of coding agents. */
export async function ownSessions({ id }: Actor, { db, now }: SessionServices): Promise<ShownSession[]> {
  const at = now()
  const [inBrowsers, ofAgents] = await Promise.all([listSessions(db, id, at), listAgentSessions(db, id, at)])
  return [
    ...inBrowsers.map(({ listener, userId: _, ...session }): ShownSession => {
      return { ...session, kind: listener === 'admin' ? 'console' : 'page', project: null }
    }),
    ...ofAgents.map(({ device, userId: _, agent, ...session }): ShownSession => {
      const program = device === null ? agent : `${agent ?? 'an agent'} on ${device}`
      return { ...session, kind: 'agent', agent: program, idleAt: session.expiresAt }
    }),
  ]
}

/** A session of another user is answered as if it did not exist. */
export async function endSession(actor: Actor, id: string, author: Author, services: SessionServices): Promise<void> {
  const { db, keyCache } = services
  const store = audited(db, author, { action: 'session.end', object: `session:${id}` })
  for (const end of [sessionEnd(id, actor.id), ownAgentSessionEnd(id, actor.id)]) {
    const [ended] = await store.transaction([end])
    if (ended!.changes === 0) continue
    await keyCache?.refresh()
    return
  }
  throw problem('not_found', { message: 'You have no such session.' })
}

export async function endAllSessions(userId: string, author: Author, services: SessionServices): Promise<void> {
  const { db, keyCache } = services
  await audited(db, author, { action: 'session.end_all', object: `user:${userId}` }).transaction([
    sessionsEnd(userId),
    agentSessionsEnd(userId),
  ])
  await keyCache?.refresh()
}
