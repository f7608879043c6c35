import { fileURLToPath } from 'node:url'
import { closed, freeObject, mapOf } from '../../../base/schema/fields.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { JwtIssuer } from './auth.ts'
import {
  Claim,
  checkPattern,
  checkProject,
  claimPath,
  claimRules,
  isOpenIssuer,
  listOf,
  Match,
  Patterns,
  ProjectName,
  secureUrl,
  text,
} from './auth-fields.ts'

const Scope = Type.String({ minLength: 1, maxLength: 200 })

export const JwtEntry = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    issuer: text,
    audience: Patterns,
    jwks: Type.Optional(Type.Union([text, freeObject()])),
    maxAge: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
    claims: Type.Optional(
      Type.Object(
        {
          user: Type.Optional(Claim),
          groups: Type.Optional(Claim),
          project: Type.Optional(Claim),
          scopes: Type.Optional(Claim),
        },
        closed,
      ),
    ),
    match: Match,
    groups: Type.Optional(mapOf(ProjectName)),
    project: Type.Optional(ProjectName),
    scopes: Type.Optional(Type.Array(Scope, { minItems: 1, maxItems: 100 })),
  },
  closed,
)
export type JwtEntry = Static<typeof JwtEntry>

export function readJwtIssuer(entry: JwtEntry, path: string): JwtIssuer {
  const { claims = {}, match = {}, groups = {}, audience, project, scopes = null } = entry
  refuseEverybody(entry, path)
  refuseUnmapped(entry, path)
  return {
    name: entry.name ?? new URL(secureUrl(entry.issuer, `${path}.issuer`)).hostname,
    issuer: entry.issuer,
    audiences: listOf(audience),
    keys: keysOf(entry.jwks, `${path}.jwks`),
    maxAgeSeconds: entry.maxAge,
    claims: {
      user: claimPath(claims.user ?? 'sub'),
      groups: claims.groups === undefined ? undefined : claimPath(claims.groups),
      project: claims.project === undefined ? undefined : claimPath(claims.project),
      scopes: claims.scopes === undefined ? undefined : claimPath(claims.scopes),
    },
    match: claimRules(match),
    groups: Object.entries(groups).map(([pattern, grant]) => {
      checkPattern(pattern, `${path}.groups.${pattern}`)
      checkProject(grant, pattern, `${path}.groups.${pattern}`)
      return { pattern, grant }
    }),
    project,
    scopes,
  }
}

function refuseEverybody({ issuer, match = {} }: JwtEntry, path: string): void {
  if (isOpenIssuer(issuer) && Object.keys(match).length === 0)
    throw new ConfigError(`${path}.match: is needed, because everybody can get a token of this issuer`)
}

/** An entry that no token can satisfy is a mistake. */
function refuseUnmapped({ project, groups, claims = {}, scopes }: JwtEntry, path: string): void {
  if (groups && claims.groups === undefined)
    throw new ConfigError(`${path}.claims.groups: is needed for groups: the claim that lists them`)
  if (scopes && claims.scopes !== undefined)
    throw new ConfigError(`${path}.scopes: is of no use beside claims.scopes, where each token names its own`)
  if (project === undefined && claims.project === undefined && !groups)
    throw new ConfigError(`${path}: should name a project, claims.project or groups, or no token gets in`)
}

function keysOf(jwks: JwtEntry['jwks'], path: string): JwtIssuer['keys'] {
  if (jwks === undefined) return undefined
  if (typeof jwks !== 'string') return { inline: jwks }
  return jwks.startsWith('file:') ? { file: fileOf(jwks, path) } : { url: secureUrl(jwks, path) }
}

function fileOf(url: string, path: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw new ConfigError(`${path}: should look like file:///path/of/the/keys.json`)
  }
}
