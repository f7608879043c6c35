import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { importKeys, newKey } from '../../../../test/fakes/new-key.ts'
import { onBothStores, storeKinds } from '../../../../test/fakes/stores.ts'
import type { Database } from '../database.ts'
import { changedKeys, currentState, isOtherHistory } from './key-changes.ts'
import { insertKey, revokeKey, type StoredKey, touchKeys } from './keys.ts'
import { migrate } from '../migrations.ts'

await onBothStores('changes of keys', ({ one: db, other }) => {
  test('are found after a marker, in every column and from every process', async () => {
    const keys = await insertKeys(db, 5)
    const since = (await currentState(db)).marker
    await revokeKey(other, keys[1]!.id)
    await other.query('UPDATE keys SET expires_at = 1 WHERE id = $1', [keys[2]!.id])
    await db.query("UPDATE keys SET scopes = '[]', owner_id = 'x' WHERE id = $1", [keys[3]!.id])
    const changes = await read(db, since)
    assert.deepEqual(
      changes.map(({ id }) => id),
      keys.slice(1, 4).map(({ id }) => id),
    )
    assert.ok(changes[0]!.revokedAt)
    assert.deepEqual([changes[1]!.expiresAt, changes[2]!.scopes, changes[2]!.ownerId], [1, [], 'x'])
  })

  test('are neither new keys nor uses of keys', async () => {
    const [before] = await insertKeys(db, 1)
    const since = (await currentState(db)).marker
    await insertKeys(db, 3)
    await touchKeys(db, [{ id: before!.id, at: 5 }])
    assert.deepEqual(await read(db, since), [])
  })

  test('come once: what a marker has seen is not read again', async () => {
    const [one, two] = await insertKeys(db, 2)
    const first = (await currentState(db)).marker
    await revokeKey(db, one!.id)
    const second = (await currentState(db)).marker
    await revokeKey(db, two!.id)
    const ids = async (since: string) => (await read(db, since)).map(({ id }) => id)
    assert.deepEqual(await ids(first), [one!.id, two!.id])
    assert.deepEqual(await ids(second), [two!.id])
    assert.deepEqual(await ids((await currentState(db)).marker), [])
  })

  test('of many keys come page by page, each once', async () => {
    const keys = Array.from({ length: 1_203 }, () => newKey())
    await importKeys(db, keys)
    const since = (await currentState(db)).marker
    await db.query('UPDATE keys SET expires_at = 1')
    const sizes: number[] = []
    const ids = new Set<string>()
    for await (const page of changedKeys(db, since, (await currentState(db)).marker)) {
      sizes.push(page.length)
      for (const { id } of page) ids.add(id)
    }
    assert.deepEqual(sizes, [500, 500, 203])
    assert.deepEqual(ids, new Set(keys.map(({ id }) => id)))
  })

  test('of a store that was replaced by an older one are not comparable', async () => {
    const [key] = await insertKeys(db, 1)
    const before = (await currentState(db)).marker
    await revokeKey(db, key!.id)
    const after = (await currentState(db)).marker
    assert.equal(isOtherHistory(before, after), false)
    assert.equal(isOtherHistory(after, after), false)
    assert.equal(isOtherHistory(db.kind === 'postgres' ? `${2 ** 40}:${2 ** 40}:` : `${2 ** 40}`, after), true)
  })
})

test('a change that commits late, with others before and after it, is found by every later look', async (t) => {
  const { skip, newStore } = (await storeKinds()).find(({ name }) => name === 'PostgreSQL')!
  if (skip) return t.skip(skip)
  await using closing = new AsyncDisposableStack()
  const store = await newStore()
  closing.defer(store.remove)
  const db = await store.open()
  closing.defer(db.close)
  await migrate(db)
  const [late, early, last] = await insertKeys(db, 3)
  const slow = new pg.Client({ connectionString: store.databaseUrl })
  await slow.connect()
  closing.defer(() => slow.end())
  const markers = [(await currentState(db)).marker]
  await slow.query('BEGIN')
  await slow.query('UPDATE keys SET revoked_at = 1, updated_at = 1 WHERE id = $1', [late!.id])
  await revokeKey(db, early!.id)
  markers.push((await currentState(db)).marker)
  assert.deepEqual(await idsBetween(db, markers[0]!, markers[1]!), [early!.id])
  // Another look while the slow transaction is open reads nothing twice.
  markers.push((await currentState(db)).marker)
  assert.deepEqual(await idsBetween(db, markers[1]!, markers[2]!), [])
  await slow.query('COMMIT')
  await revokeKey(db, last!.id)
  markers.push((await currentState(db)).marker)
  assert.deepEqual(await idsBetween(db, markers[2]!, markers[3]!), [late!.id, last!.id])
})

async function insertKeys(db: Database, count: number): Promise<StoredKey[]> {
  const keys: StoredKey[] = []
  while (keys.length < count) keys.push((await insertKey(db, newKey()))!)
  return keys
}

async function read(db: Database, since: string, until?: string): Promise<StoredKey[]> {
  const keys: StoredKey[] = []
  for await (const page of changedKeys(db, since, until ?? (await currentState(db)).marker)) keys.push(...page)
  return keys
}

async function idsBetween(db: Database, since: string, until: string): Promise<string[]> {
  return (await read(db, since, until)).map(({ id }) => id)
}
