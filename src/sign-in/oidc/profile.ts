import type { OidcIssuer } from '../../config/auth/auth.ts'
import { type Claims, claimAt, textsAt } from '../../jwt/check-claims.ts'

/** Who somebody is, according to a provider. */
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
  const email = first(claims.email)
  return {
    issuer,
    subject: String(token.sub),
    email: email !== undefined && email.length <= MAX_EMAIL_CHARS ? email.trim().toLowerCase() : undefined,
    isEmailVerified: sources.some((source) => isVerified(source, claims.email, email)),
    name: (first(claims.name) ?? email ?? String(token.sub)).slice(0, MAX_NAME_CHARS),
    groups: groupsIn(sources, claims.groups),
    sid: textsAt(token, ['sid'])[0],
    claims: { ...userinfo, ...token },
  }
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
