import type { CreatedKey, CreateKeyRequest, KeyList, KeySummary } from '../contract/keys.ts'
import { problem } from '../contract/problems.ts'
import type { Region } from '../providers/provider.ts'
import type { Database } from '../store/database.ts'
import { findKey, insertKey, listKeys, revokeKey, type StoredKey } from '../store/keys.ts'
import { createKey, digestOf, type KeyKind } from './api-keys.ts'
import { type Caller, checkScopes } from './caller.ts'
import type { KeyCache } from './key-cache.ts'
import { toCaller } from './known-key.ts'

// Creates and revokes keys. A key is shown once, when it is created; only its digest is stored.

type NewKeyOptions = Omit<CreateKeyRequest, 'kind'> & { kind?: KeyKind | null | undefined }

export type KeyContext = { db: Database; newId(): string; now(): number; config: { region: Region } }

export async function issueKey(options: NewKeyOptions, { db, newId, now, config }: KeyContext): Promise<CreatedKey> {
  if (options.scopes) checkScopes(options.scopes)
  const kind = options.kind ?? 'live'
  const key = createKey(kind)
  const id = newId()
  const stored = await insertKey(db, {
    id,
    digest: digestOf(key),
    name: options.name,
    kind,
    // Keys of one owner share jobs and files. A key without an owner is an owner of its own.
    owner: options.owner ?? id,
    region: options.region ?? config.region,
    scopes: options.scopes ?? null,
    last4: key.slice(-4),
    expiresAt: options.expires_at ? readFuture(options.expires_at, now()) : null,
  })
  return { ...summaryOf(stored!), key }
}

export async function listIssued(
  page: { limit: number; cursor?: string | undefined },
  { db }: KeyContext,
): Promise<KeyList> {
  const { keys, nextCursor } = await listKeys(db, page)
  return { items: keys.map(summaryOf), next_cursor: nextCursor }
}

/** Processes other than this one learn of it within two seconds. */
export async function revokeIssued(id: string, { db, keyCache }: RevokeContext): Promise<void> {
  const revoked = await revokeKey(db, id)
  if (!revoked) throw problem('not_found', { message: 'There is no such key.' })
  keyCache?.apply([revoked])
}

type RevokeContext = Pick<KeyContext, 'db'> & { keyCache?: Pick<KeyCache, 'apply'> }

/** Finds the caller by the id of its key. */
export async function callerOf(id: string, { db }: KeyContext): Promise<Caller | undefined> {
  const key = await findKey(db, id)
  return key && toCaller(key)
}

function readFuture(text: string, now: number): number {
  const at = Date.parse(text)
  if (at > now) return at
  const msg = 'expires_at should lie in the future'
  throw problem('validation_error', {
    message: msg,
    param: 'expires_at',
    detail: [{ loc: ['body', 'expires_at'], msg, type: 'value_error' }],
  })
}

function summaryOf(key: StoredKey): KeySummary {
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    owner: key.owner,
    region: key.region as Region,
    scopes: key.scopes,
    expires_at: isoOf(key.expiresAt),
    created_at: isoOf(key.createdAt)!,
    last_used_at: isoOf(key.lastUsedAt),
    revoked_at: isoOf(key.revokedAt),
    last4: key.last4,
  }
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
