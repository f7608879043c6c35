import { randomUUID } from 'node:crypto'
import type { Database, Value } from '../../src/platform/store/database.ts'
import type { NewKey, StoredKey } from '../../src/platform/store/keys/keys.ts'

/** A key for the store, with a digest that belongs to no key. */
export function newKey(parts: Partial<NewKey> = {}): NewKey {
  const id = randomUUID()
  const digest = randomUUID().replaceAll('-', '').repeat(2)
  const fixed = {
    name: 'test',
    kind: 'live',
    region: 'global',
    scopes: null,
    last4: 'abcd',
    expiresAt: null,
    allowedIps: null,
    project: 'personal',
    user: null,
    policy: null,
  } as const
  return { id, digest, ownerKind: 'key', ownerId: id, ...fixed, ...parts }
}

/** A key as the store returns it. */
export function storedKey(parts: Partial<StoredKey> = {}): StoredKey {
  const times = { createdAt: 1, updatedAt: 1, revokedAt: null, lastUsedAt: null }
  const ofProject = { organization: 'default', projectRegion: null, projectPolicy: null }
  const recording = { recordLeft: null, recordUntil: null, recordMode: null }
  return { ...newKey(), ...times, ...ofProject, ...recording, formerSecrets: [], ...parts }
}

const COLUMNS = 10
const ROWS_PER_STATEMENT = 100

/** Imports keys as an operator would: with SQL of their own, in one transaction. */
export async function importKeys(db: Database, keys: readonly NewKey[]): Promise<void> {
  const starts = Array.from({ length: Math.ceil(keys.length / ROWS_PER_STATEMENT) }, (_, at) => at * ROWS_PER_STATEMENT)
  await db.transaction(starts.map((start) => insertion(keys.slice(start, start + ROWS_PER_STATEMENT))))
}

function insertion(keys: readonly NewKey[]): { sql: string; values: Value[] } {
  const rows = keys.map((_, row) => {
    const places = Array.from({ length: COLUMNS }, (_, column) => `$${row * COLUMNS + column + 1}`)
    return `(${places}, now_ms(), now_ms())`
  })
  const values = keys.flatMap(({ id, digest, name, kind, project, ownerKind, ownerId, region, scopes, last4 }) => {
    return [id, digest, name, kind, project, ownerKind, ownerId, region, scopes && JSON.stringify(scopes), last4]
  })
  const columns = 'id, digest, name, kind, project, owner_kind, owner_id, region, scopes, last4, created_at, updated_at'
  return { sql: `INSERT INTO keys (${columns}) VALUES ${rows}`, values }
}
