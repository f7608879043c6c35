import { ROLES } from '../../../contract/admin/roles.ts'
import { closed, mapOf, words } from '../../../base/schema/fields.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { readNamedSecret } from '../named-secret.ts'
import type { Grant, GroupRule, OidcIssuer } from './auth.ts'
import {
  Claim,
  checkPattern,
  checkProject,
  claimPath,
  claimRules,
  isOpenIssuer,
  Match,
  ProjectName,
  secureUrl,
  text,
} from './auth-fields.ts'

const Role = words([...ROLES])
const ProjectRole = Type.Object({ role: Role, project: Type.Optional(ProjectName) }, closed)
const GrantEntry = Type.Union([Role, ProjectRole])
type GrantEntry = Static<typeof GrantEntry>

export const OidcEntry = Type.Object(
  {
    name: text,
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    issuer: text,
    clientId: text,
    clientSecretEnv: Type.Optional(text),
    clientSecretFile: Type.Optional(text),
    scopes: Type.Optional(Type.Array(text, { maxItems: 20 })),
    claims: Type.Optional(
      Type.Object({ email: Type.Optional(Claim), name: Type.Optional(Claim), groups: Type.Optional(Claim) }, closed),
    ),
    match: Match,
    groups: Type.Optional(mapOf(GrantEntry)),
    default: Type.Optional(Type.Union([words(['refuse']), ProjectRole])),
  },
  closed,
)
export type OidcEntry = Static<typeof OidcEntry>

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/
const DEFAULT_SCOPES = ['openid', 'email', 'profile']

export function readOidcIssuer(entry: OidcEntry, path: string, environment: Environment): OidcIssuer {
  const { name, title = name, clientId, claims = {}, groups = {}, scopes = DEFAULT_SCOPES, ...rest } = entry
  if (!NAME.test(name)) throw new ConfigError(`${path}.name: should be lower-case letters, digits and dashes`)
  if (!scopes.every((scope) => SCOPE.test(scope)))
    throw new ConfigError(`${path}.scopes: should be single words of plain characters`)
  if (isOpenIssuer(entry.issuer) && rest.default && rest.default !== 'refuse' && !rest.match)
    throw new ConfigError(`${path}.match: is needed beside default, because everybody can get an account there`)
  return {
    name,
    title,
    issuer: secureUrl(entry.issuer, `${path}.issuer`),
    clientId,
    clientSecret: readSecret(entry, path, environment),
    scopes: scopes.includes('openid') ? scopes : ['openid', ...scopes],
    claims: {
      email: claimPath(claims.email ?? 'email'),
      name: claimPath(claims.name ?? 'name'),
      groups: claimPath(claims.groups ?? 'groups'),
    },
    match: claimRules(rest.match ?? {}),
    groups: Object.entries(groups).map(([pattern, grant]) => groupRule(pattern, grant, `${path}.groups`)),
    otherwise: rest.default === undefined || rest.default === 'refuse' ? undefined : grantOf(rest.default),
  }
}

function groupRule(pattern: string, entry: GrantEntry, path: string): GroupRule<Grant> {
  const grant = grantOf(entry)
  checkPattern(pattern, `${path}.${pattern}`)
  checkProject(grant.project ?? '', pattern, `${path}.${pattern}`)
  return { pattern, grant }
}

function grantOf(entry: GrantEntry): Grant {
  return typeof entry === 'string'
    ? { role: entry, project: null }
    : { role: entry.role, project: entry.project ?? null }
}

function readSecret({ clientSecretEnv, clientSecretFile }: OidcEntry, path: string, environment: Environment) {
  if (clientSecretEnv !== undefined && clientSecretFile !== undefined)
    throw new ConfigError(`${path}: clientSecretEnv and clientSecretFile exclude each other`)
  return readNamedSecret({ variable: clientSecretEnv, file: clientSecretFile }, `${path}.clientSecret`, environment)
}
