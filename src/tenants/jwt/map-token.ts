import { isScope } from '../access/caller.ts'
import type { JwtIssuer } from '../../platform/config/auth/auth.ts'
import { type Claims, claimAt, textsAt } from './check-claims.ts'
import { fits, projectOf } from './patterns.ts'

/** Whom a token stands for, as the config file maps its claims. */
export type TokenIdentity = {
  issuer: string
  subject: string
  /** The name of the entry in the config file. */
  entry: string
  /** What `claims.user` says: shown in reports. */
  user: string
  project: string
  scopes: readonly string[] | null
}

/** Undefined if the entry gives this token nothing. */
export function mapToken(entry: JwtIssuer, claims: Claims): TokenIdentity | undefined {
  const subject = textsAt(claims, ['sub'])[0]
  const user = textsAt(claims, entry.claims.user)[0] ?? subject
  if (subject === undefined || user === undefined || !isMatched(entry.match, claims)) return undefined
  const project = projectFor(entry, claims)
  const scopes = scopesFor(entry, claims)
  if (project === undefined || scopes?.length === 0) return undefined
  return { issuer: entry.issuer, subject, entry: entry.name, user, project, scopes }
}

/** Whether the claims fit everything that an entry asks for. */
export function isMatched(match: JwtIssuer['match'], claims: Claims): boolean {
  return match.every(({ claim, patterns }) => {
    const values = valuesAt(claims, claim)
    return patterns.some((pattern) => values.some((value) => fits(pattern, value)))
  })
}

/** `match` may also ask for true, false or a number. */
function valuesAt(claims: Claims, path: readonly string[]): string[] {
  const value = claimAt(claims, path)
  return typeof value === 'boolean' || typeof value === 'number' ? [String(value)] : textsAt(claims, path)
}

/** The claim itself, or the first rule of the config file that fits a group, or the project of all tokens of this entry. */
function projectFor({ claims: paths, groups, project }: JwtIssuer, claims: Claims): string | undefined {
  const named = paths.project && textsAt(claims, paths.project)[0]
  if (named !== undefined) return projectOf('*', '$1', named)
  const own = paths.groups ? textsAt(claims, paths.groups) : []
  for (const { pattern, grant } of groups)
    for (const group of own) {
      const found = projectOf(pattern, grant, group)
      if (found !== undefined) return found
    }
  return project
}

/** A token that should name its scopes and names none that we know may use nothing, instead of everything. */
function scopesFor({ claims: { scopes: path }, scopes }: JwtIssuer, claims: Claims): readonly string[] | null {
  if (!path) return scopes
  return textsAt(claims, path)
    .flatMap((text) => text.split(' '))
    .filter(isScope)
}
