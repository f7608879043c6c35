import { mapOf } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { ClaimPath, ClaimRules } from './auth.ts'

// What the entries of auth.oidc and auth.jwt have in common.

const MAX_TEXT = 2_000
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const text = Type.String({ minLength: 1, maxLength: MAX_TEXT })
/** A name, or the names that lead to a claim inside of others. */
export const Claim = Type.Union([text, Type.Array(text, { minItems: 1, maxItems: 8 })])
export const ProjectName = Type.String({ minLength: 1, maxLength: 100 })

export const Patterns = Type.Union([text, Type.Array(text, { minItems: 1, maxItems: 100 })])
export const Match = Type.Optional(mapOf(Patterns))

/** Everybody in the world can get a token of these issuers, with any audience, or an account. */
const OPEN_ISSUERS = [
  'https://token.actions.githubusercontent.com',
  'https://accounts.google.com',
  'https://gitlab.com',
  'https://agent.buildkite.com',
  'https://app.terraform.io',
]

export function isOpenIssuer(issuer: string): boolean {
  return OPEN_ISSUERS.includes(issuer.replace(/\/$/, ''))
}

export function claimRules(match: Readonly<Record<string, string | readonly string[]>>): ClaimRules {
  return Object.entries(match).map(([claim, patterns]) => ({ claim: [claim], patterns: listOf(patterns) }))
}

export function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

export function claimPath(value: string | readonly string[]): ClaimPath {
  return typeof value === 'string' ? [value] : value
}

/** Keys and codes travel to this address, so it has to be secure; the loopback address does not leave this machine. */
export function secureUrl(value: string, path: string): string {
  const url = URL.parse(value)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
  if (isSecure && !url.username && !url.password && !url.hash) return value
  throw new ConfigError(`${path}: should be an https:// address without a user name (http:// only for this machine)`)
}

/** A pattern has at most one `*`, so that `$1` has one meaning. */
export function checkPattern(pattern: string, path: string): void {
  if (pattern.split('*').length > 2) throw new ConfigError(`${path}: a group may contain one * at most`)
}

export function checkProject(project: string, pattern: string, path: string): void {
  if (project.includes('$1') && !pattern.includes('*'))
    throw new ConfigError(`${path}: $1 needs a * in the name of the group`)
}
