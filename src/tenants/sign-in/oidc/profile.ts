import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import { looksLikeEmail, plainEmail } from '../../people/people-services.ts'
import { type Claims, claimAt, textsAt } from '../../jwt/check-claims.ts'

/** What a provider says about the person who signs in. */
export type Profile = {
  issuer: string
  subject: string
  email: string | undefined
  /** Whether the provider says that the e-mail address is theirs. */
  isEmailVerified: boolean
  name: string
  groups: readonly string[]
  /** The session at the provider, if it names one. */
  sid: string | undefined
  /** Everything that the provider said. */
  claims: Claims
}

const MAX_NAME_CHARS = 200
const MAX_EMAIL_CHARS = 254

/** Whether the ID token lacks something that the provider may tell at its userinfo endpoint. */
export function isIncomplete({ claims }: OidcIssuer, token: Claims): boolean {
  return [claims.email, claims.name, claims.groups].some((path) => claimAt(token, path) === undefined)
}

/** The ID token comes first, because it is signed; what it does not say, userinfo says. */
export function readProfile({ issuer, claims }: OidcIssuer, token: Claims, userinfo: Claims = {}): Profile {
  const sources = [token, userinfo]
  const first = (path: readonly string[]) => sources.flatMap((source) => textsAt(source, path))[0]
  const named = first(claims.email)
  const email = named !== undefined && named.length <= MAX_EMAIL_CHARS ? plainEmail(named) : undefined
  const isEmailVerified = sources.some((source) => isVerified(source, claims.email, named))
  const subject = String(token.sub)
  const own = isEmailVerified ? email : undefined
  return {
    issuer,
    subject,
    email,
    isEmailVerified,
    name: nameOf(first(claims.name), own, subject).slice(0, MAX_NAME_CHARS),
    groups: groupsIn(sources, claims.groups),
    sid: textsAt(token, ['sid'])[0],
    claims: { ...userinfo, ...token },
  }
}

/** An address that may belong to another person is not a name: people would take the account for that person's. */
function nameOf(name: string | undefined, ownEmail: string | undefined, subject: string): string {
  if (name !== undefined && (!looksLikeEmail(name) || plainEmail(name) === ownEmail)) return name
  return ownEmail ?? (looksLikeEmail(subject) ? subject.normalize('NFKC').replaceAll('@', ' at ') : subject)
}

/** `email_verified` is about the address beside it, in the claim `email`: not about a claim of another name. */
function isVerified(source: Claims, path: readonly string[], email: string | undefined): boolean {
  const isStandard = path.length === 1 && path[0] === 'email'
  return isStandard && email !== undefined && source.email === email && source.email_verified === true
}

function groupsIn(sources: readonly Claims[], path: readonly string[]): string[] {
  const named = sources.find((source) => claimAt(source, path) !== undefined)
  return named ? textsAt(named, path) : []
}
