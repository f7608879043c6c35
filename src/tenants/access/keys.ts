import type { Author } from '../audit/author.ts'
import { changedFields } from '../audit/changes.ts'
import { audited } from '../audit/audited.ts'
import type {
  CreatedKey,
  CreateKeyRequest,
  KeyList,
  KeySummary,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '../../contract/admin/keys.ts'
import { problem } from '../../contract/problems.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { RecordKeyRequest } from '../../contract/admin/content.ts'
import { recordNext } from '../../platform/store/keys/content-recording.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import { findKey, insertKey, listKeys, revokeKey, type StoredKey } from '../../platform/store/keys/keys.ts'
import type { KeyFilter } from '../../platform/store/keys/key-filter.ts'
import { rotateKey } from '../../platform/store/keys/rotate-key.ts'
import { type KeyChanges, updateKey } from '../../platform/store/keys/update-key.ts'
import { checkAllowedIps } from './allowed-ips.ts'
import { createKey, digestOf, type KeyKind } from './api-keys.ts'
import { type Caller, checkScopes } from './caller.ts'
import type { KeyCache } from './key-cache.ts'
import { checkProject, keyAssignment, projectIsDeleted } from './key-assignment.ts'
import { type SeeingKeys, summaryOf, withMonth } from './key-summary.ts'
import { toCaller } from './cached-key.ts'
import { withoutNulls } from './policy.ts'

// Creates, changes and revokes keys. A secret is shown once, when it is created; only its digest is stored.

type NewKeyOptions = Omit<CreateKeyRequest, 'kind'> & { kind?: KeyKind | null | undefined }

export type KeyServices = { db: Database; newId(): string; now(): number; config: { region: Region } }

/** What has to be found when a key is created, in the same transaction. */
export type KeyDemands = { demands?: readonly Statement[] }

/** Changes of keys are in the audit log. */
export type KeyAuthor = { author: Author }

export async function issueKey(
  options: NewKeyOptions,
  services: KeyServices & KeyAuthor & KeyDemands,
): Promise<CreatedKey> {
  const { db, newId, now, config, author, demands } = services
  if (options.scopes) checkScopes(options.scopes)
  if (options.allowed_ips) checkAllowedIps(options.allowed_ips)
  const kind = options.kind ?? 'live'
  const key = createKey(kind)
  const { createsProject, ...assignment } = await keyAssignment(options, db)
  const facts = {
    id: newId(),
    digest: digestOf(key),
    name: options.name,
    kind,
    ...assignment,
    user: options.user ?? null,
    policy: options.policy ? withoutNulls(options.policy) : null,
    region: options.region ?? config.region,
    scopes: options.scopes ?? null,
    allowedIps: options.allowed_ips ?? null,
    last4: key.slice(-4),
    expiresAt: options.expires_at ? readFuture(options.expires_at, now()) : null,
  }
  const event = { action: 'key.create', object: `key:${facts.id}`, after: shownFields(facts) }
  const stored = await insertKey(audited(db, author, event), facts, { createsProject, demands })
  if (!stored) throw projectIsDeleted(assignment.project)
  return { ...summaryOf(stored, now()), key }
}

export async function listIssued(
  page: KeyFilter & { limit: number; cursor?: string | undefined },
  { db, now }: KeyServices,
): Promise<KeyList> {
  const { keys, nextCursor } = await listKeys(db, page)
  return { items: await withMonth(keys, { db, now, reach: page.reach }), next_cursor: nextCursor }
}

export async function showIssued(id: string, { db, now, reach }: SeeingKeys): Promise<KeySummary> {
  const key = await findKey(db, id)
  if (!key) throw unknownKey()
  return (await withMonth([key], { db, now, reach }))[0]!
}

/** Other processes learn of it when they next read changes of keys, within five seconds. */
export async function updateIssued(
  id: string,
  request: UpdateKeyRequest,
  services: ChangeServices,
): Promise<KeySummary> {
  const { db, now, keyCache, author } = services
  if (request.project) await checkProject(request.project, db)
  const changes = changesIn(request, now())
  const before = await findKey(db, id)
  const event = { action: 'key.update', object: `key:${id}`, ...changedFields({ ...before }, changes) }
  const updated = await updateKey(audited(db, author, event), id, changes)
  if (!updated) throw await whyUnchanged(id, db)
  keyCache?.apply([updated])
  return summaryOf(updated, now())
}

/** The key stays the same key: its id, its owner and its usage. The secrets before it are valid for the overlap at most. */
export async function rotateIssued(
  id: string,
  request: RotateKeyRequest,
  services: ChangeServices,
): Promise<CreatedKey> {
  const { db, now, keyCache, author } = services
  const { overlap_seconds, ...changes } = request
  const seconds = overlap_seconds ?? 0
  if (changes.project) await checkProject(changes.project, db)
  const before = await findKey(db, id)
  if (!before) throw unknownKey()
  const key = createKey(before.kind)
  const secret = { digest: digestOf(key), last4: key.slice(-4), changes: changesIn(changes, now()) }
  const event = { action: 'key.rotate', object: `key:${id}`, ...rotation(before, secret, seconds) }
  const rotated = await rotateKey(audited(db, author, event), id, secret, seconds)
  if (!rotated) throw await whyUnchanged(id, db)
  keyCache?.apply([rotated])
  return { ...summaryOf(rotated, now()), key }
}

/** What the audit log says about a rotation. */
function rotation(before: StoredKey, { last4, changes }: { last4: string; changes: KeyChanges }, seconds: number) {
  const changed = changedFields({ ...before }, { last4, ...changes })
  return { ...changed, after: { ...changed.after, overlap_seconds: seconds } }
}

/** Other processes learn of it when they next read changes of keys, within five seconds. */
export async function revokeIssued(id: string, { db, keyCache, author }: Omit<ChangeServices, 'now'>): Promise<void> {
  const revoked = await revokeKey(audited(db, author, { action: 'key.revoke', object: `key:${id}` }), id)
  if (!revoked) throw unknownKey()
  keyCache?.apply([revoked])
}

/** The next requests of the key are kept with their content, in all processes within seconds. */
export async function recordIssued(
  id: string,
  request: RecordKeyRequest,
  services: ChangeServices,
): Promise<KeySummary> {
  const { db, now, author } = services
  const { requests, expires_in_seconds, mode } = request
  const settings = { requests, forMs: expires_in_seconds * 1_000, mode: mode ?? 'redacted' }
  const after = { requests, expires_in_seconds, mode: settings.mode }
  const recording = await recordNext(
    audited(db, author, { action: 'key.record', object: `key:${id}`, after }),
    id,
    settings,
  )
  if (!recording) throw await whyUnchanged(id, db)
  return summaryOf(recording, now())
}

export type ChangeServices = Pick<KeyServices, 'db' | 'now'> & KeyAuthor & { keyCache?: Pick<KeyCache, 'apply'> }

/** Finds the caller by the id of its key. */
export async function callerOf(id: string, { db }: KeyServices): Promise<Caller | undefined> {
  const key = await findKey(db, id)
  return key && toCaller(key)
}

/** What the audit log says about a new key. */
function shownFields({ digest: _, id: __, ...facts }: { digest: string; id: string }): Record<string, unknown> {
  return facts
}

/** Only what the request names is changed. */
function changesIn(request: UpdateKeyRequest, now: number): KeyChanges {
  const { name, region, scopes, expires_at, allowed_ips, user, policy, project } = request
  if (scopes) checkScopes(scopes)
  if (allowed_ips) checkAllowedIps(allowed_ips)
  return {
    ...(name !== undefined && { name }),
    ...(region !== undefined && { region }),
    ...(scopes !== undefined && { scopes }),
    ...(user !== undefined && { user }),
    ...(policy !== undefined && { policy: policy && withoutNulls(policy) }),
    ...(project !== undefined && { project }),
    ...(allowed_ips !== undefined && { allowedIps: allowed_ips }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : readFuture(expires_at, now) }),
  }
}

async function whyUnchanged(id: string, db: Database) {
  const key = await findKey(db, id)
  if (!key) return unknownKey()
  if (key.revokedAt !== null) return problem('conflict', { message: 'This key is revoked. Create a new one.' })
  const message = 'This key would lose its stored files, jobs and responses. Delete them first.'
  return problem('conflict', { message })
}

function unknownKey() {
  return problem('not_found', { message: 'There is no such key.' })
}

function readFuture(text: string, now: number): number {
  const at = Date.parse(text)
  if (at > now) return at
  const msg = 'Input should be in the future'
  throw problem('validation_error', {
    message: `expires_at: ${msg}`,
    param: 'expires_at',
    detail: [{ loc: ['body', 'expires_at'], msg, type: 'value_error' }],
  })
}
