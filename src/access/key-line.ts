import type { Stamp } from './key-file-age.ts'
import { type KnownKey, toKnownKey } from './known-key.ts'

// The lines of a file of known keys. The first one says when the store last confirmed them, and always has the same length,
// so that it can be replaced. The others are keys, or digests of keys that were revoked; a later line replaces an earlier
// one. A key itself is in no line: only its digest is.

export const HEADER_BYTES = 200
/** Lines of version 1 do not say which addresses may use a key. */
const VERSION = 2
const DIGEST = /^[0-9a-f]{64}$/

export function headerLine(stamp: Stamp): string {
  return `${JSON.stringify({ version: VERSION, ...stamp }).padEnd(HEADER_BYTES - 1)}\n`
}

export function keyLine(digest: string, { caller }: KnownKey): string {
  const { keyId, owner, kind, region, scopes, expiresAt, allowedIps } = caller
  return `${JSON.stringify([digest, keyId, owner, kind, region, scopes, expiresAt, allowedIps])}\n`
}

export function revokedLine(digest: string): string {
  return `["${digest}"]\n`
}

export function readHeader(text: string): Stamp | undefined {
  const { version, wallMs, bootMs, bootId, ageMs } = parse(text.slice(0, HEADER_BYTES)) as Partial<
    Stamp & { version: number }
  >
  const isComplete = [wallMs, bootMs, ageMs].every(Number.isFinite) && typeof bootId === 'string'
  return version === VERSION && isComplete ? ({ wallMs, bootMs, bootId, ageMs } as Stamp) : undefined
}

/** Undefined for a line that the death of its process has cut off. `key` is undefined if the key was revoked. */
export function readLine(line: string): { digest: string; key: KnownKey | undefined } | undefined {
  const fields = parse(line)
  if (!Array.isArray(fields) || !DIGEST.test(fields[0])) return undefined
  const [digest, id, owner, kind, region, scopes, expiresAt, allowedIps] = fields
  if (fields.length === 1) return { digest, key: undefined }
  if (fields.length !== KEY_FIELDS) return undefined
  return { digest, key: toKnownKey({ id, owner, kind, region, scopes, expiresAt, allowedIps }) }
}

const KEY_FIELDS = 8

function parse(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
