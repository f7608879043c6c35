import { isRecord, textOf } from '../../base/schema/record.ts'

/** Clocks of issuers and of gateways differ a little. */
const SKEW_SECONDS = 60
/** Year 9999: larger times are not times. */
const MAX_SECONDS = 253_402_300_800

export type Claims = Readonly<Record<string, unknown>>

type Expected = { issuer: string; audiences: readonly string[]; maxAgeSeconds?: number | undefined }

/** Until when a token with these claims is valid, in milliseconds of the wall clock; undefined if it is not valid now. */
export function validUntil(claims: Claims, expected: Expected, nowMs: number): number | undefined {
  const now = nowMs / 1000
  const { iss, aud, exp, nbf, iat } = claims
  if (iss !== expected.issuer || !isFor(aud, expected.audiences)) return undefined
  if (!isTime(exp) || (nbf !== undefined && !isTime(nbf)) || (iat !== undefined && !isTime(iat))) return undefined
  if (Number(nbf ?? 0) > now + SKEW_SECONDS || Number(iat ?? 0) > now + SKEW_SECONDS) return undefined
  const { maxAgeSeconds } = expected
  if (maxAgeSeconds !== undefined && iat === undefined) return undefined
  const end = Math.min(exp, maxAgeSeconds === undefined ? exp : Number(iat) + maxAgeSeconds) + SKEW_SECONDS
  return end > now ? end * 1000 : undefined
}

function isFor(aud: unknown, audiences: readonly string[]): boolean {
  const named = Array.isArray(aud) ? aud : [aud]
  return named.some((one) => typeof one === 'string' && audiences.includes(one))
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_SECONDS
}

/**
 * The value of a claim. One name may be the whole name of a claim (`https://acme.example/groups`), or lead into claims with
 * dots between the names (`realm_access.roles`).
 */
export function claimAt(claims: Claims, path: readonly string[]): unknown {
  const [only = ''] = path
  if (path.length > 1) return path.reduce<unknown>(memberOf, claims)
  return Object.hasOwn(claims, only) ? claims[only] : only.split('.').reduce<unknown>(memberOf, claims)
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

const MAX_VALUES = 1_000
const MAX_VALUE_CHARS = 500

/** The texts of a claim that is a text or a list of texts. */
export function textsAt(claims: Claims, path: readonly string[]): string[] {
  const value = claimAt(claims, path)
  const texts = (Array.isArray(value) ? value.slice(0, MAX_VALUES) : [value]).map(textOf)
  return texts.filter((text) => text !== '' && text.length <= MAX_VALUE_CHARS)
}
