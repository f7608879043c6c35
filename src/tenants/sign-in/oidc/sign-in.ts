import { createHash, randomBytes } from 'node:crypto'
import type { Author } from '../../audit/author.ts'
import { writeAuditEvents, audited } from '../../audit/audited.ts'
import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import { isMatched } from '../../jwt/map-token.ts'
import { DEFAULT_ORGANIZATION } from '../../../platform/store/people/reach.ts'
import type { Secrets } from '../../../platform/secrets/secrets.ts'
import { sessionsEnd } from '../../../platform/store/people/sessions.ts'
import { linkRequest } from '../../../platform/store/sign-in/identity-links.ts'
import { spending } from '../../../platform/store/sign-in/spent-tokens.ts'
import { ssoSessionInsertion } from '../../../platform/store/sign-in/sso-sessions.ts'
import { countForAddress, giveBackToAddress } from '../attempts.ts'
import { type OpenedSession, openSession, type SessionServices, type SignInOrigin } from '../sessions.ts'
import type { OidcClients } from './client.ts'
import { type Flow, FLOW_SECONDS, openFlow, sealFlow } from './flow-state.ts'
import { grantsOf } from './grants.ts'
import { identify, type Refusal } from './identify.ts'
import { isIncomplete, type Profile, readProfile } from './profile.ts'
import { type MemberChanges, memberChanges } from './sync-members.ts'

export type OidcServices = SessionServices & { clients: OidcClients; secrets: Secrets }

/** `stale`: the sign-in was begun elsewhere, too long ago, or was finished before. `failed`: the provider did not confirm it. */
export type SignInRefusal = Refusal | 'stale' | 'failed'
type Finished = { opened: OpenedSession } | { refusal: SignInRefusal }

/** Where to send the browser, and what it has to bring back. `linkTo`: the account that gets the identity. */
export async function beginOidc(
  issuer: OidcIssuer,
  { redirectUri, linkTo, choosesAccount = false }: { redirectUri: string; linkTo?: string; choosesAccount?: boolean },
  { clients, secrets, now }: OidcServices,
): Promise<{ url: string; cookie: string }> {
  const { openId, configuration } = await clients.open(issuer)
  const [state, nonce, verifier] = [secret(), secret(), secret()]
  const url = openId.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: issuer.scopes.join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(choosesAccount && { prompt: accountPrompt(configuration.serverMetadata()) }),
  })
  const expiresAt = now() + FLOW_SECONDS * 1000
  const flow: Flow = { provider: issuer.name, state, nonce, verifier, redirectUri, expiresAt, linkTo }
  return { url: url.href, cookie: sealFlow(flow, secrets) }
}

/** Not every provider has a page to choose an account on; all of them can ask for the password again. */
function accountPrompt(metadata: object): string {
  const known = 'prompt_values_supported' in metadata ? metadata.prompt_values_supported : undefined
  return Array.isArray(known) && !known.includes('select_account') ? 'login' : 'select_account'
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

type Answer = { query: URLSearchParams; cookie: string | undefined; origin: SignInOrigin }

/**
 * The provider has sent the browser back. Everything that is written stands in one transaction. Attempts that fail count for
 * the address that they come from, because each of them may ask the provider, and is a row of the audit log.
 */
export async function finishOidc(issuer: OidcIssuer, answer: Answer, services: OidcServices): Promise<Finished> {
  const { db } = services
  const { ip } = answer.origin
  await countForAddress(db, ip)
  const finished = await checkAnswer(issuer, answer, services)
  if ('opened' in finished) await giveBackToAddress(db, ip)
  return finished
}

async function checkAnswer(issuer: OidcIssuer, answer: Answer, services: OidcServices): Promise<Finished> {
  const flow = answer.cookie === undefined ? undefined : openFlow(answer.cookie, services.secrets, services.now())
  // The answer of one provider must not be taken for that of another.
  if (!flow || flow.provider !== issuer.name || answer.query.get('state') !== flow.state)
    return await refuse('stale', undefined, { issuer, answer, services })
  const profile = await askProvider(issuer, flow, answer.query, services)
  if (!profile) return await refuse('failed', undefined, { issuer, answer, services })
  const result = await signInAs({ issuer, profile, flow }, answer.origin, services)
  return typeof result === 'string' ? await refuse(result, profile, { issuer, answer, services }) : { opened: result }
}

/** Undefined if the provider, or anything that it says, does not check out. */
async function askProvider(
  issuer: OidcIssuer,
  { state, nonce, verifier, redirectUri }: Flow,
  query: URLSearchParams,
  { clients }: OidcServices,
): Promise<Profile | undefined> {
  try {
    const { openId, configuration } = await clients.open(issuer)
    const url = new URL(`${redirectUri}?${query}`)
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await openId.authorizationCodeGrant(configuration, url, checks)
    const claims = tokens.claims()!
    const hasMore = isIncomplete(issuer, claims) && configuration.serverMetadata().userinfo_endpoint !== undefined
    const userinfo = hasMore ? await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub) : undefined
    return readProfile(issuer, claims, userinfo)
  } catch {
    return undefined
  }
}

type VerifiedSignIn = { issuer: OidcIssuer; profile: Profile; flow: Flow }

async function signInAs(
  { issuer, profile, flow }: VerifiedSignIn,
  origin: SignInOrigin,
  services: OidcServices,
): Promise<OpenedSession | SignInRefusal> {
  if (!isMatched(issuer.match, profile.claims)) return 'no_access'
  const { linkTo } = flow
  const found = await identify(profile, { ...services, organization: DEFAULT_ORGANIZATION, provider: issuer, linkTo })
  if (typeof found === 'string') return found
  const members = await memberChanges(
    { id: found.user.id, invitedTo: found.invitedTo },
    grantsOf(issuer, profile),
    services,
  )
  if (members.membershipCount === 0) return await endAccess(found.user.id, members, services)
  const id = services.newId()
  const digest = createHash('sha256').update(`state ${flow.state}`).digest('hex')
  const { issuer: name, subject, sid = null } = profile
  const changes = [
    ...spending(digest, { now: services.now(), expiresAt: flow.expiresAt }),
    ...found.statements,
    ...(members.statements.length > 0 ? [sessionsEnd(found.user.id)] : []),
    ...members.statements,
    ...ssoSessionInsertion({ sessionId: id, issuer: name, subject, sid }),
  ]
  const events = [...found.events, ...members.events]
  // Nothing is written if the same answer was used before, or if something has changed meanwhile.
  const opened = await openSession(found.user, { id, via: 'sso', origin, changes, events }, services)
  if (members.statements.length > 0) await services.keyCache?.refresh()
  return opened ?? 'stale'
}

/** A person whose last group was taken away may not sign in, and loses what the groups gave before: roles, sessions, keys. */
async function endAccess(userId: string, { statements, events }: MemberChanges, { db, keyCache }: OidcServices) {
  const author: Author = { actor: `user:${userId}`, via: 'sso', ip: null, request: null }
  if (events.length === 0) return 'no_access' as const
  await audited(db, author, ...events).transaction([sessionsEnd(userId), ...statements])
  await keyCache?.refresh()
  return 'no_access' as const
}

type Refused = { issuer: OidcIssuer; answer: Answer; services: OidcServices }

/** The audit log has every refusal. An identity that waits for an admin is noted for them. */
async function refuse(refusal: SignInRefusal, profile: Profile | undefined, { issuer, answer, services }: Refused) {
  const { db, newId } = services
  const { origin } = answer
  const author: Author = { actor: 'anonymous', via: 'sso', ip: origin.ip, request: origin.request }
  const subject = profile ? { subject: profile.subject } : {}
  if (refusal === 'unconfirmed' && profile?.email !== undefined) {
    const { issuer: name, email, name: title } = profile
    await db.transaction(linkRequest({ id: newId(), issuer: name, subject: profile.subject, email, name: title }))
  }
  const event = { action: 'sign_in.fail', object: `provider:${issuer.name}`, after: { reason: refusal, ...subject } }
  await writeAuditEvents(db, author, event)
  return { refusal }
}
