import type { Stamp } from './key-file-age.ts'
import { type CallerFacts, fromLine, type CachedKey } from './cached-key.ts'

// The lines of a file of known keys. The first one says when the store last confirmed them, and always has the same length,
// so that it can be replaced. The others are keys, or digests of keys that were revoked; a later line replaces an earlier
// one. A key itself is in no line: only its digest is.

export const HEADER_BYTES = 200
/** A file of another version is not read. */
const VERSION = 1
const DIGEST = /^[0-9a-f]{64}$/

export function headerLine(stamp: Stamp): string {
  return `${JSON.stringify({ version: VERSION, ...stamp }).padEnd(HEADER_BYTES - 1)}\n`
}

export function keyLine(digest: string, { caller }: CachedKey): string {
  return `${JSON.stringify([digest, ...FIELDS.map((field) => caller[field])])}\n`
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
export function readLine(line: string): { digest: string; key: CachedKey | undefined } | undefined {
  const fields = parse(line)
  if (!Array.isArray(fields) || !DIGEST.test(fields[0])) return undefined
  const [digest, ...values] = fields
  if (values.length === 0) return { digest, key: undefined }
  if (values.length !== FIELDS.length) return undefined
  const facts = Object.fromEntries(values.map((value, index) => [FIELDS[index], value])) as CallerFacts
  return { digest, key: fromLine(facts) }
}

const FIELDS = [
  ...(['keyId', 'keyName', 'organization', 'project', 'ownerKind', 'ownerId', 'user', 'kind', 'region'] as const),
  ...(['scopes', 'expiresAt', 'allowedIps', 'policy'] as const),
] satisfies (keyof CallerFacts)[]

function parse(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
