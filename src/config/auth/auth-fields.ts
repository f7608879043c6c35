import Type from '../../schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { ClaimPath } from './auth.ts'

// What the entries of auth.oidc and auth.jwt have in common.

const MAX_TEXT = 2_000
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const text = Type.String({ minLength: 1, maxLength: MAX_TEXT })
export const closed = { additionalProperties: false }
/** A name, or the names that lead to a claim inside of others. */
export const Claim = Type.Union([text, Type.Array(text, { minItems: 1, maxItems: 8 })])
export const ProjectName = Type.String({ minLength: 1, maxLength: 100 })

export function claimPath(value: string | readonly string[]): ClaimPath {
  return typeof value === 'string' ? [value] : value
}

/** Keys and codes travel to this address, so it has to be secure; on this machine nobody listens. */
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
