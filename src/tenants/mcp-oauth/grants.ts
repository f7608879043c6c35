import { hash, timingSafeEqual } from 'node:crypto'
import { MINUTE_MS } from '../../base/units/units.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { agentSessionInsertion } from '../../platform/store/agents/agent-sessions.ts'
import {
  clientOfRefreshToken,
  codeInsertion,
  codeUse,
  findOAuthCode,
  type StoredOAuthCode,
} from '../../platform/store/agents/oauth-codes.ts'
import type { Database } from '../../platform/store/database.ts'
import { findUser } from '../../platform/store/people/users.ts'
import { ssoSessionCopy } from '../../platform/store/sign-in/sso-sessions.ts'
import { resourceScope } from '../access/caller.ts'
import { endAgentSession, newTokens, renewTokens, type SessionTokens } from '../agents/agent-sessions.ts'
import type { Person } from '../agents/device-flow.ts'
import { audited, writeAuditEvents } from '../audit/audited.ts'
import type { Author } from '../audit/author.ts'
import { authorOf } from '../people/actor.ts'
import { digestOfSecret, newSecret } from '../people/secret.ts'
import type { OAuthClient } from './clients.ts'
import { placeOf } from './redirect-uris.ts'

// The authorization server of MCP (OAuth 2.1: a code with PKCE). What a program asks for is sealed into the address of the consent page,
// so that nothing is stored before a person agrees, and each step may reach another process. The tokens are those of a session of an
// agent, which can be used for one resource only.

type Services = {
  db: Database
  now(): number
  newId(): string
  config: { region: Region }
  keyCache: { refresh(): Promise<void> }
}
type Sealing = Pick<Secrets, 'sealed' | 'opened'>
type Origin = { ip: string; request: string | null }

/** What a program asks a person for. `resource` is a path, and whatever is below it. */
export type GrantRequest = {
  client: Pick<OAuthClient, 'id' | 'name'>
  redirectUri: string
  challenge: string
  resource: string
  state: string | null
  expiresAt: number
}

const NAME = 'mcp-grant'
const REQUEST_MS = 10 * MINUTE_MS
const CODE_MS = MINUTE_MS
/** A browser keeps it in a cookie while the person signs in. */
const MAX_SEALED_CHARS = 3_500
const CHALLENGE = /^[\w-]{43}$/
const VERIFIER = /^[\w.~-]{43,128}$/

export const GRANT_SECONDS = REQUEST_MS / 1_000

export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text)
}

/** Undefined if it is too long. */
export function sealRequest(
  request: Omit<GrantRequest, 'expiresAt'>,
  secrets: Sealing,
  now: number,
): string | undefined {
  const { sealed } = secrets.sealed(NAME, JSON.stringify({ ...request, expiresAt: now + REQUEST_MS }))
  return sealed.length > MAX_SEALED_CHARS ? undefined : sealed
}

/** Undefined if it was not sealed by this installation, or is too old. */
export function openRequest(sealed: string, secrets: Sealing, now: number): GrantRequest | undefined {
  if (sealed.length > MAX_SEALED_CHARS) return undefined
  try {
    const request: unknown = JSON.parse(secrets.opened({ name: NAME, sealed, fingerprint: '' }))
    return isRecord(request) && Number(request.expiresAt) > now ? (request as GrantRequest) : undefined
  } catch {
    return undefined
  }
}

type Decided = { person: Person; origin: Origin }

/** The person agrees: returns the code that the program exchanges for tokens within a minute. */
export async function confirmGrant(
  { client, redirectUri, challenge, resource }: GrantRequest,
  project: string,
  { person, origin }: Decided,
  { db, now }: Services,
): Promise<string> {
  const { secret: code, digest } = newSecret()
  const createdAt = now()
  const named = { clientId: client.id, clientName: client.name, redirectUri, challenge, resource }
  const who = { userId: person.id, project, sessionId: person.session }
  const event = { action: 'mcp.confirm', object: `project:${project}`, after: shown({ client, redirectUri, resource }) }
  await audited(db, authorOf(person, origin), event).transaction(
    codeInsertion({ digest, ...named, ...who, createdAt, expiresAt: createdAt + CODE_MS }),
  )
  return code
}

export async function denyGrant(request: GrantRequest, { person, origin }: Decided, { db }: Services): Promise<void> {
  const event = { action: 'mcp.deny', object: `user:${person.id}`, after: shown(request) }
  await writeAuditEvents(db, authorOf(person, origin), event)
}

function shown({ client, redirectUri, resource }: Pick<GrantRequest, 'client' | 'redirectUri' | 'resource'>) {
  return { program: client.name, goes_to: placeOf(redirectUri), resource }
}

type Redemption = {
  code: string
  verifier: string
  clientId: string
  /** PKCE makes it dispensable (OAuth 2.1). */
  redirectUri: string | undefined
  resource: string | undefined
}
type GrantRefusal = 'invalid_grant' | 'invalid_target'

/** A code that comes a second time was stolen, or the first one that came was: then the session ends. */
export async function redeemGrant(
  { code, verifier, clientId, redirectUri, resource }: Redemption,
  origin: Origin,
  services: Services,
): Promise<SessionTokens | GrantRefusal> {
  const found = await findOAuthCode(services.db, digestOfSecret(code))
  if (!found || found.clientId !== clientId || (redirectUri ?? found.redirectUri) !== found.redirectUri)
    return 'invalid_grant'
  if (!isVerifier(verifier, found.challenge)) return 'invalid_grant'
  if (found.issued !== null) {
    await endAgentSession({ id: found.issued, userId: found.userId }, 'agent.replay', origin, services)
    return 'invalid_grant'
  }
  if (found.expiresAt <= services.now()) return 'invalid_grant'
  if (resource !== undefined && resource !== found.resource) return 'invalid_target'
  return await openSession(found, origin, services)
}

function isVerifier(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const made = Buffer.from(hash('sha256', verifier, 'base64url'))
  const given = Buffer.from(challenge)
  return made.length === given.length && timingSafeEqual(made, given)
}

/** A person who has lost the right since the consent, or has signed out, gives none. */
async function openSession(
  code: StoredOAuthCode,
  { ip, request }: Origin,
  { db, now, newId, config }: Services,
): Promise<SessionTokens | GrantRefusal> {
  const at = now()
  const id = newId()
  const { userId, project, clientId, clientName: name, resource, sessionId } = code
  const tokens = newTokens(at)
  const session = {
    id,
    userId,
    project,
    name,
    via: 'agent',
    ip,
    agent: name,
    device: null,
    createdAt: at,
    region: config.region,
    expiresAt: tokens.stored.refresh.expiresAt,
    clientId,
    scopes: [resourceScope(resource)],
  }
  const author: Author = { actor: `user:${userId}`, via: 'agent', ip, request }
  const event = { action: 'mcp.sign_in', object: `session:${id}`, after: { project, program: name, resource } }
  const statements = [
    ...codeUse(code, id, at),
    ...agentSessionInsertion(session, tokens.stored.access, tokens.stored.refresh),
    ssoSessionCopy(sessionId, id),
  ]
  const results = await audited(db, author, event).transaction(statements)
  if (results.length !== statements.length) return 'invalid_grant'
  return { ...tokens.shown, email: (await findUser(db, userId))?.email ?? null }
}

/** Only the program that has got a refresh token may use it. */
export async function renewGrant(
  { token, clientId }: { token: string; clientId: string },
  origin: Origin,
  services: Services,
): Promise<SessionTokens | 'invalid_grant' | 'slow_down'> {
  const owner = await clientOfRefreshToken(services.db, digestOfSecret(token))
  return owner !== undefined && owner === clientId ? await renewTokens(token, origin, services) : 'invalid_grant'
}
