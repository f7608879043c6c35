import type { AuditEvent, Author } from '../audit/author.ts'
import { audited, writeAuditEvents } from '../audit/audited.ts'
import { type Actor, authorOf } from '../people/actor.ts'
import { whereMay } from '../people/may.ts'
import { digestOfSecret, newSecret } from '../people/secret.ts'
import { countCode, countStart, giveBackCode } from '../sign-in/attempts.ts'
import { agentSessionInsertion } from '../../platform/store/agents/agent-sessions.ts'
import {
  codeConfirmation,
  codeDenial,
  codeRedemption,
  codeRefusal,
  findDeviceCode,
  findUndecided,
  insertDeviceCode,
  notePoll,
  type StoredDeviceCode,
} from '../../platform/store/agents/device-codes.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Region } from '../../platform/providers/provider.ts'
import { findUser } from '../../platform/store/people/users.ts'
import { listProjects, type StoredProject } from '../../platform/store/projects/projects.ts'
import { ssoSessionCopy } from '../../platform/store/sign-in/sso-sessions.ts'
import { MINUTE_MS } from '../../base/units/units.ts'
import { newTokens, type SessionTokens } from './agent-sessions.ts'
import { newUserCode, readUserCode } from './user-code.ts'

// The device flow of OAuth (RFC 8628): a terminal gets two codes, a person types the short one into a page and confirms, and the
// terminal, which asks with the long one meanwhile, gets its tokens. Every step is in the store, so each may reach another process.

export const CODE_SECONDS = 600
export const POLL_SECONDS = 5
const CODE_MS = CODE_SECONDS * 1_000
const INTERVAL_MS = POLL_SECONDS * 1_000
/** What a terminal that asks too often has to wait longer (RFC 8628), and the end of that. */
const SLOWER_MS = 5_000
const MAX_INTERVAL_MS = MINUTE_MS
/** Requests do not arrive as evenly as they are sent. */
const TOLERANCE_MS = 1_000
const MAX_TEXT_CHARS = 200
const CODE_TRIES = 5
const MAX_PROJECTS = 200

type AgentServices = { db: Database; now(): number; newId(): string; config: { region: Region } }

/** The terminal: its address, its program, and what it calls its machine. */
type Terminal = { ip: string; agent: string | undefined; device: string | undefined }

export async function beginDeviceFlow(
  { ip, agent, device }: Terminal,
  { db, now }: AgentServices,
): Promise<{ deviceCode: string; userCode: string }> {
  await countStart(db, ip)
  const { secret: deviceCode, digest } = newSecret()
  const createdAt = now()
  const facts = { ip, agent: shortened(agent), device: shortened(device), createdAt, expiresAt: createdAt + CODE_MS }
  for (let tries = 0; tries < CODE_TRIES; tries++) {
    const { code, digest: userCode } = newUserCode()
    if (await insertDeviceCode(db, { ...facts, digest, userCode, intervalMs: INTERVAL_MS }))
      return { deviceCode, userCode: code }
  }
  throw new Error('No code is free.')
}

/** What a terminal claims is shown to a person, so it is one short line of visible characters. */
function shortened(text: string | undefined): string | null {
  const line = text
    ?.replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(0, MAX_TEXT_CHARS)
  return line || null
}

/** Where a request comes from, for the audit log. */
type RequestOrigin = { ip: string; request: string | null }

/** What the terminal gets while it has no tokens, in the words of the standard. */
type DeviceRefusal = 'authorization_pending' | 'slow_down' | 'expired_token' | 'access_denied' | 'invalid_grant'

export async function redeemDeviceCode(
  deviceCode: string,
  terminal: RequestOrigin,
  services: AgentServices,
): Promise<SessionTokens | DeviceRefusal> {
  const { db, now } = services
  const code = await findDeviceCode(db, digestOfSecret(deviceCode))
  if (!code || code.redeemedAt !== null) return 'invalid_grant'
  if (code.deniedAt !== null) return 'access_denied'
  if (code.expiresAt <= now()) return 'expired_token'
  if (code.sessionId === null) return await askLater(code, services)
  return await openAgentSession(code as ConfirmedCode, terminal, services)
}

/** A code costs a few writes, however often a terminal asks: what is too early is not noted once the interval is the longest one. */
async function askLater(code: StoredDeviceCode, { db, now }: AgentServices): Promise<DeviceRefusal> {
  const at = now()
  const isEarly = code.polledAt !== null && at - code.polledAt < code.intervalMs - TOLERANCE_MS
  const intervalMs = isEarly ? Math.min(code.intervalMs + SLOWER_MS, MAX_INTERVAL_MS) : code.intervalMs
  if (!isEarly || intervalMs !== code.intervalMs) await notePoll(db, code, at, intervalMs)
  return isEarly ? 'slow_down' : 'authorization_pending'
}

type ConfirmedCode = StoredDeviceCode & { sessionId: string; userId: string; project: string }

/** Of several requests with the same code one gets the tokens. A person who has lost the right meanwhile gets none. */
async function openAgentSession(
  code: ConfirmedCode,
  { ip, request }: RequestOrigin,
  { db, now, newId, config }: AgentServices,
): Promise<SessionTokens | DeviceRefusal> {
  const at = now()
  const id = newId()
  const { userId, project, agent, device, sessionId } = code
  const tokens = newTokens(at)
  const session = { id, userId, project, via: 'agent', ip, agent, device, createdAt: at, region: config.region }
  const name = nameOf(code)
  const author: Author = { actor: `user:${userId}`, via: 'agent', ip, request }
  const event = { action: 'agent.sign_in', object: `session:${id}`, after: { project, agent, device } }
  const statements = [
    ...codeRedemption(code, at),
    ...agentSessionInsertion(
      { ...session, name, expiresAt: tokens.stored.refresh.expiresAt },
      tokens.stored.access,
      tokens.stored.refresh,
    ),
    ssoSessionCopy(sessionId, id),
  ]
  const results = await audited(db, author, event).transaction(statements)
  if (results.length === statements.length) {
    const user = await findUser(db, userId)
    return { ...tokens.shown, email: user?.email ?? null }
  }
  const again = await findDeviceCode(db, code.digest)
  if (again?.redeemedAt !== null) return 'invalid_grant'
  // Noted once: the terminal may go on asking.
  const refused = { action: 'agent.refuse', object: `user:${userId}`, after: { project, agent } }
  await audited(db, author, refused).transaction([codeRefusal(code.digest, at)])
  return 'access_denied'
}

/** The name of the key of the session, in lists and reports: the program and its version. */
function nameOf({ agent }: StoredDeviceCode): string {
  return agent?.split(' ')[0] || 'coding agent'
}

/** A person on the page, with the session there. */
export type Person = Actor & { session: string }

/** What waits for the person under this code. Codes that are wrong are counted, and are in the audit log. */
export async function findCode(
  typed: string,
  person: Person,
  origin: RequestOrigin,
  { db, now }: AgentServices,
): Promise<StoredDeviceCode | undefined> {
  await countCode(db, person.session, origin.ip)
  const digest = readUserCode(typed)
  const found = digest === undefined ? undefined : await findUndecided(db, digest, now())
  if (found) await giveBackCode(db, person.session, origin.ip)
  else await writeAuditEvents(db, authorOf(person, origin), { action: 'agent.wrong_code', object: 'device_code' })
  return found
}

/** The projects in which the person may call models, oldest first. */
export async function callableProjects(person: Actor, { db }: Pick<AgentServices, 'db'>): Promise<StoredProject[]> {
  const where = whereMay(person, 'keys.write')
  if (where.all) return []
  const { own = { organizations: [], projects: [] } } = where
  const reach = {
    organizations: [...where.organizations, ...own.organizations],
    projects: [...where.projects, ...own.projects],
    own: undefined,
  }
  const { items } = await listProjects(db, { limit: MAX_PROJECTS, reach })
  return items.toReversed()
}

/** Returns false if the code is not waiting any more. */
export async function confirmCode(
  code: StoredDeviceCode,
  project: string,
  { person, origin }: { person: Person; origin: RequestOrigin },
  services: AgentServices,
): Promise<boolean> {
  const decision = { sessionId: person.session, userId: person.id, project }
  const { ip, agent, device } = code
  const event = { action: 'agent.confirm', object: `project:${project}`, after: { ip, agent, device } }
  return await decide(codeConfirmation(code.digest, decision, services.now()), event, { person, origin }, services)
}

export async function denyCode(
  code: StoredDeviceCode,
  by: { person: Person; origin: RequestOrigin },
  services: AgentServices,
): Promise<boolean> {
  const { ip, agent, device } = code
  const event = { action: 'agent.deny', object: 'device_code', after: { ip, agent, device } }
  return await decide(codeDenial(code.digest, services.now()), event, by, services)
}

async function decide(
  statement: ReturnType<typeof codeDenial>,
  event: AuditEvent,
  { person, origin }: { person: Person; origin: RequestOrigin },
  { db }: AgentServices,
): Promise<boolean> {
  const [decided] = await audited(db, authorOf(person, origin), event).transaction([statement])
  return decided!.changes > 0
}
