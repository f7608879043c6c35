import { createHash } from 'node:crypto'
import type { Author } from '../../audit/author.ts'
import { audited } from '../../audit/audited.ts'
import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import { isAllowed, isSigned } from '../../jwt/algorithms.ts'
import { type Claims, textsAt, validUntil } from '../../jwt/check-claims.ts'
import { readToken } from '../../jwt/compact-token.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { spending } from '../../../platform/store/sign-in/spent-tokens.ts'
import { ssoSessionsEnd } from '../../../platform/store/sign-in/sso-sessions.ts'
import type { SignInOrigin } from '../sessions.ts'
import type { OidcServices } from './sign-in.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** A provider sends the token at once. Older ones are refused, and younger ones are accepted once. */
const MAX_AGE_SECONDS = 300
const REMEMBER_MS = 600_000

/**
 * A provider says that a person has signed out there (OpenID Connect Back-Channel Logout). Returns false for a token that the
 * provider has not signed, that is for another client, or that was used before.
 */
export async function endByIssuer(
  issuer: OidcIssuer,
  token: string,
  origin: SignInOrigin,
  services: OidcServices,
): Promise<boolean> {
  const claims = await logoutClaims(issuer, token, services)
  const [jti] = claims ? textsAt(claims, ['jti']) : []
  if (!claims || jti === undefined) return false
  const ended = { issuer: issuer.issuer, sid: textsAt(claims, ['sid'])[0], subject: textsAt(claims, ['sub'])[0] }
  if (ended.sid === undefined && ended.subject === undefined) return false
  const now = services.now()
  const digest = createHash('sha256')
    .update(JSON.stringify(['logout', issuer.issuer, jti]))
    .digest('hex')
  const statements = [...spending(digest, { now, expiresAt: now + REMEMBER_MS }), ...ssoSessionsEnd(ended)]
  const author: Author = { actor: `provider:${issuer.name}`, via: 'sso', ip: origin.ip, request: origin.request }
  const { sid = null, subject = null } = ended
  const event = { action: 'session.end_by_provider', object: `provider:${issuer.name}`, after: { sid, subject } }
  const results = await audited(services.db, author, event).transaction(statements)
  await services.keyCache?.refresh()
  return results.length === statements.length
}

/** The claims if everything about the token is right. */
async function logoutClaims(issuer: OidcIssuer, token: string, services: OidcServices): Promise<Claims | undefined> {
  const parts = readToken(token)
  if (!parts || !isLogout(parts.claims) || !isAllowed(parts.header.alg)) return undefined
  const { header, claims, signed, signature } = parts
  // `exp` is not required by all versions of the standard; the age is limited in any case.
  const limited = { ...claims, exp: claims.exp ?? Number(claims.iat) + MAX_AGE_SECONDS }
  const expected = { issuer: issuer.issuer, audiences: [issuer.clientId], maxAgeSeconds: MAX_AGE_SECONDS }
  if (validUntil(limited, expected, services.now()) === undefined) return undefined
  const { keys } = await services.clients.open(issuer)
  const { alg, kid } = header
  const key = isAllowed(alg) ? await keys.find({ alg, kid }) : undefined
  return key && (await isSigned(key.alg, key.key, signed, signature)) ? claims : undefined
}

/** An ID token, which has a nonce, is no logout token. */
function isLogout({ events, nonce }: Claims): boolean {
  return nonce === undefined && isRecord(events) && isRecord(events[EVENT])
}
