import type { Author } from '../audit/author.ts'
import { audited } from '../audit/audited.ts'
import { createKey, digestOf } from '../access/api-keys.ts'
import { digestOfSecret, newSecret } from '../people/secret.ts'
import { mayRenew } from '../sign-in/attempts.ts'
import {
  type AccessSecret,
  agentSessionEnd,
  findRefreshToken,
  findSessionOf,
  type RefreshSecret,
  renewSession,
  type StoredRefreshToken,
} from '../../platform/store/agents/agent-sessions.ts'
import type { Database } from '../../platform/store/database.ts'
import { findUser } from '../../platform/store/people/users.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/units/units.ts'
import { openTokens, sealTokens, type TokenPair } from './sealed-tokens.ts'

// The tokens of a session: an access token, which is a key of the gateway, and a refresh token, which is used once. A refresh token that
// comes again after a moment was stolen, or its successor was: then the session ends.

const ACCESS_MS = 8 * HOUR_MS
const REFRESH_MS = 14 * DAY_MS
/** However often it is renewed: what no provider tells the gateway about a person who has left ends then. */
const LONGEST_MS = 90 * DAY_MS
/** So long the terminal that renews second gets the tokens of the first. */
const GRACE_MS = MINUTE_MS
/** So long the access token before a renewal stays valid: a program may have taken it a moment ago. */
const OVERLAP_MS = 10 * MINUTE_MS

/** What a terminal gets. */
export type SessionTokens = { access: string; refresh: string; accessExpiresAt: number; email: string | null }

type NewTokens = {
  shown: Omit<SessionTokens, 'email'>
  stored: { access: AccessSecret; refresh: RefreshSecret }
}

/** `begunAt` is when the person has confirmed. */
export function newTokens(now: number, begunAt = now): NewTokens {
  const access = createKey('session')
  const { secret: refresh, digest } = newSecret()
  const end = begunAt + LONGEST_MS
  const accessExpiresAt = Math.min(now + ACCESS_MS, end)
  return {
    shown: { access, refresh, accessExpiresAt },
    stored: {
      access: { digest: digestOf(access), last4: access.slice(-4), expiresAt: accessExpiresAt },
      refresh: { digest, expiresAt: Math.min(now + REFRESH_MS, end) },
    },
  }
}

type Services = { db: Database; now(): number; keyCache: { refresh(): Promise<void> } }
type Origin = { ip: string; request: string | null }
type RenewalRefusal = 'invalid_grant' | 'slow_down'

export async function renewTokens(
  token: string,
  origin: Origin,
  services: Services,
): Promise<SessionTokens | RenewalRefusal> {
  const { db, now } = services
  const used = digestOfSecret(token)
  const found = await findRefreshToken(db, used)
  if (!found || found.isOver || found.expiresAt <= now()) return 'invalid_grant'
  if (found.usedAt !== null) return await useAgain(token, found, origin, services)
  if (!(await mayRenew(db, found.sessionId))) return 'slow_down'
  const { shown, stored } = newTokens(now(), found.begunAt)
  const isDone = await renewSession(db, {
    sessionId: found.sessionId,
    used,
    ...stored,
    successor: sealTokens(shown, token),
    now: now(),
    overlapMs: OVERLAP_MS,
    graceMs: GRACE_MS,
    lifeMs: ACCESS_MS,
  })
  if (isDone) return await withEmail(shown, found, services)
  // Another terminal was faster, or the session has just ended.
  const again = await findRefreshToken(db, used)
  return again && !again.isOver && again.usedAt !== null
    ? await useAgain(token, again, origin, services)
    : 'invalid_grant'
}

async function useAgain(
  token: string,
  found: StoredRefreshToken,
  origin: Origin,
  services: Services,
): Promise<SessionTokens | RenewalRefusal> {
  const { usedAt, successor, sessionId, userId } = found
  const isMoment = usedAt !== null && services.now() - usedAt <= GRACE_MS
  if (isMoment && successor !== null)
    return await withEmail(await newestOf(successor, token, services), found, services)
  await endAgentSession({ id: sessionId, userId }, 'agent.replay', origin, services)
  return 'invalid_grant'
}

/** The pair after a used token, or the one after that, if others have renewed again meanwhile. Renewals are limited, so these are few. */
async function newestOf(successor: string, usedToken: string, { db }: Pick<Services, 'db'>): Promise<TokenPair> {
  const pair = openTokens(successor, usedToken)
  const next = await findRefreshToken(db, digestOfSecret(pair.refresh))
  return next?.successor ? await newestOf(next.successor, pair.refresh, { db }) : pair
}

async function withEmail(
  tokens: Omit<SessionTokens, 'email'>,
  { userId }: StoredRefreshToken,
  { db }: Services,
): Promise<SessionTokens> {
  return { ...tokens, email: (await findUser(db, userId))?.email ?? null }
}

/** Ends the session of this access token or refresh token, if there is one (RFC 7009). */
export async function revokeToken(token: string, origin: Origin, services: Services): Promise<void> {
  const found = (await findSessionOf(services.db, digestOf(token))) ?? undefined
  if (found) await endAgentSession(found, 'agent.sign_out', origin, services)
}

export async function endAgentSession(
  { id, userId }: { id: string; userId: string },
  action: 'agent.replay' | 'agent.sign_out',
  { ip, request }: Origin,
  { db, keyCache }: Services,
): Promise<void> {
  const author: Author = { actor: `user:${userId}`, via: 'agent', ip, request }
  await audited(db, author, { action, object: `session:${id}` }).transaction([agentSessionEnd(id)])
  await keyCache.refresh()
}
