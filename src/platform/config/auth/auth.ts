import type { Role } from '../../../contract/admin/roles.ts'

// What `auth` in the config file says: who may sign in to the admin listener, and whose tokens the API accepts.

/** The name of a claim, or the names that lead to one inside of others. */
export type ClaimPath = readonly string[]

/** What a group, or everybody, becomes: a role in a project, or in the whole organization. */
export type Grant = { role: Role; project: string | null }

/** `pattern` may contain one `*`; `$1` in the name of the project stands for what it matched. */
export type GroupRule<Granted> = { pattern: string; grant: Granted }

/** Each claim has to fit one of its patterns, in which `*` stands for anything. */
export type ClaimRules = readonly { claim: ClaimPath; patterns: readonly string[] }[]

/** An OpenID provider that people sign in with. */
export type OidcIssuer = {
  /** Stands in the addresses of the sign-in. */
  name: string
  /** What the button says. */
  title: string
  issuer: string
  clientId: string
  /** Undefined for a public client, which proves itself by PKCE only. */
  clientSecret: string | undefined
  scopes: readonly string[]
  claims: { email: ClaimPath; name: ClaimPath; groups: ClaimPath }
  /** What the claims of a person have to say. */
  match: ClaimRules
  groups: readonly GroupRule<Grant>[]
  /** What a person without a matching group becomes; undefined refuses them. */
  otherwise: Grant | undefined
}

/** Tokens that the API accepts instead of a key. */
export type JwtIssuer = {
  name: string
  issuer: string
  audiences: readonly string[]
  /** Where the public keys are: undefined asks the issuer's own discovery document. */
  keys: { url: string } | { file: string } | { inline: unknown } | undefined
  /** How old a token may be, whatever its `exp` says. */
  maxAgeSeconds: number | undefined
  claims: {
    user: ClaimPath
    groups: ClaimPath | undefined
    project: ClaimPath | undefined
    scopes: ClaimPath | undefined
  }
  /** What a token has to say. */
  match: ClaimRules
  /** The projects of groups. */
  groups: readonly GroupRule<string>[]
  /** The project of tokens that name none. Undefined refuses them. */
  project: string | undefined
  /** What every token may use; null is everything that its project may use. */
  scopes: readonly string[] | null
}

export type AuthSettings = { oidc: readonly OidcIssuer[]; jwt: readonly JwtIssuer[]; ssoOnly: boolean }
