import { isRecord } from '../../base/schema/record.ts'

/** Larger than any real token: those of directories with hundreds of groups have 4 KB. */
export const MAX_JWT_CHARS = 8_192

/** `{"` in base64: no header of a token begins otherwise. */
const START = 'eyJ'
/** Three parts in base64url. */
const SHAPE = /^eyJ[A-Za-z0-9_-]{1,2000}\.[A-Za-z0-9_-]{1,8000}\.[A-Za-z0-9_-]{0,2000}$/

type TokenHeader = { alg: string; kid: string | undefined; typ: string | undefined }

/** A token that was parsed, and not verified yet. */
export type CompactToken = {
  header: TokenHeader
  claims: Readonly<Record<string, unknown>>
  /** What the signature covers. */
  signed: string
  signature: Buffer
}

export function looksLikeJwt(token: string): boolean {
  return token.startsWith(START) && token.length <= MAX_JWT_CHARS && SHAPE.test(token)
}

/** Returns undefined for what is not a token, or demands something (`crit`) that we do not know. */
export function readToken(token: string): CompactToken | undefined {
  if (!looksLikeJwt(token)) return undefined
  const [head = '', body = '', signature = ''] = token.split('.')
  const header = jsonOf(head)
  const claims = jsonOf(body)
  if (!header || !claims || 'crit' in header || 'b64' in header) return undefined
  const { alg, kid, typ } = header
  if (typeof alg !== 'string' || !isOptionalText(kid) || !isOptionalText(typ)) return undefined
  const signed = token.slice(0, token.lastIndexOf('.'))
  return { header: { alg, kid, typ }, claims, signed, signature: Buffer.from(signature, 'base64url') }
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function jsonOf(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
