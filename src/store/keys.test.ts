import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onBothStores, passMillisecond } from '../../test/fakes/stores.ts'
import { Problem } from '../contract/problems.ts'
import type { Database } from './database.ts'
import {
  findKeyByDigest,
  insertKey,
  keysChangedSince,
  listKeys,
  type NewKey,
  recentKeys,
  revokeKey,
  touchKeys,
} from './keys.ts'

await onBothStores('keys', ({ one: db, other }) => {
  test('shows what one instance wrote to another', async () => {
    const key = newKey()
    await insertKey(db, key)
    assert.equal((await findKeyByDigest(other, key.digest))?.id, key.id)
    assert.equal(await revokeKey(other, key.id), true)
    assert.notEqual((await findKeyByDigest(db, key.digest))?.revokedAt, null)
  })

  test('takes SQL in values for the text it is', async () => {
    for (const text of ["'; DROP TABLE keys; --", '$1', '" OR 1=1 --', "\\'; SELECT 1", '%_%', '/*', '?1']) {
      const key = newKey({ name: text, owner: text })
      await insertKey(db, key)
      assert.equal((await findKeyByDigest(db, key.digest))?.name, text)
      const { keys } = await listKeys(db, { limit: 10, owner: text })
      assert.deepEqual(
        keys.map(({ id }) => id),
        [key.id],
      )
      assert.equal(await findKeyByDigest(db, text), undefined)
      assert.equal(await revokeKey(db, text), false)
    }
  })

  test('keeps a key, once per digest', async () => {
    const key = newKey({ scopes: ['chat', 'images'], expiresAt: 4_102_444_800_000 })
    const stored = await insertKey(db, key)
    assert.ok(stored)
    assert.ok(stored.createdAt > 1_700_000_000_000 && Number.isInteger(stored.createdAt))
    const { createdAt, updatedAt, ...rest } = stored
    assert.deepEqual(rest, { ...key, revokedAt: null, lastUsedAt: null })
    assert.deepEqual(await findKeyByDigest(db, key.digest), stored)
    assert.equal(await insertKey(db, newKey({ digest: key.digest })), undefined)
    assert.equal((await insertKey(db, newKey()))?.scopes, null)
  })

  test('lists keys newest first, page by page', async () => {
    // Several keys share a millisecond.
    const inserted = await Promise.all(Array.from({ length: 23 }, () => insertKey(db, newKey({ owner: 'many' }))))
    await insertKey(db, newKey({ owner: 'other' }))
    const pages = await allPages(db, 'many')
    assert.deepEqual(
      pages.map((page) => page.length),
      [10, 10, 3],
    )
    const times = pages.flat().map((key) => key.createdAt)
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    )
    assert.deepEqual(new Set(pages.flat().map((key) => key.id)), new Set(inserted.map((key) => key!.id)))
    assert.equal((await listKeys(db, { limit: 24 })).keys.length, 24)
    assert.equal((await listKeys(db, { limit: 24 })).nextCursor, null)
  })

  test('refuses a cursor it did not write as the problem of the caller', async () => {
    for (const cursor of ['', 'x', '%00', Buffer.from('12').toString('base64url')])
      await assert.rejects(
        listKeys(db, { limit: 1, cursor }),
        (error) => error instanceof Problem && error.status === 422,
      )
  })

  test('revokes a key for good, and says so in the changes', async () => {
    const [quiet, revoked] = [await insertKey(db, newKey()), await insertKey(db, newKey())]
    await passMillisecond(db, revoked!.updatedAt)
    assert.equal(await revokeKey(db, revoked!.id), true)
    const changes = await keysChangedSince(db, revoked!.updatedAt + 1)
    assert.deepEqual(
      changes.map(({ id }) => id),
      [revoked!.id],
    )
    assert.ok(changes[0]!.revokedAt! > revoked!.updatedAt)
    await passMillisecond(db, changes[0]!.updatedAt)
    assert.equal(await revokeKey(db, revoked!.id), true)
    assert.deepEqual(await findKeyByDigest(db, revoked!.digest), changes[0])
    assert.equal(await revokeKey(db, randomUUID()), false)
    assert.deepEqual(
      (await keysChangedSince(db, 0)).map(({ id }) => id),
      [quiet!.id, revoked!.id],
    )
  })

  test('a clock that was set back hides no revocation from queries for changes', async () => {
    const [ahead, revoked] = [await insertKey(db, newKey()), await insertKey(db, newKey())]
    const newest = ahead!.updatedAt + 3_600_000
    await db.query('UPDATE keys SET updated_at = $1 WHERE id = $2', [newest, ahead!.id])
    assert.equal(await revokeKey(db, revoked!.id), true)
    const changes = await keysChangedSince(db, newest)
    assert.deepEqual(new Set(changes.map(({ id }) => id)), new Set([ahead!.id, revoked!.id]))
    assert.ok(changes.find(({ id }) => id === revoked!.id)!.revokedAt! < newest)
  })

  test('notes the last use of keys, forward only and without calling it a change', async () => {
    const keys: Awaited<ReturnType<typeof insertKey>>[] = []
    while (keys.length < 113) keys.push(await insertKey(db, newKey()))
    const before = await keysChangedSince(db, 0)
    await touchKeys(
      db,
      keys.map((key, index) => ({ id: key!.id, at: 1_000 + index })),
    )
    await touchKeys(db, [
      { id: keys[0]!.id, at: 999 },
      { id: keys[1]!.id, at: 5_000 },
      { id: 'unknown', at: 1 },
    ])
    await touchKeys(db, [])
    const after = await keysChangedSince(db, 0)
    const expected = new Map(keys.map((key, index) => [key!.id, index === 1 ? 5_000 : 1_000 + index]))
    assert.deepEqual(new Map(after.map((key) => [key.id, key.lastUsedAt])), expected)
    assert.deepEqual(
      after.map((key) => key.updatedAt),
      before.map((key) => key.updatedAt),
    )
  })

  test('names the keys that were used or made last, without revoked ones', async () => {
    const [old, used, revoked] = [
      await insertKey(db, newKey()),
      await insertKey(db, newKey()),
      await insertKey(db, newKey()),
    ]
    await touchKeys(db, [{ id: used!.id, at: Number.MAX_SAFE_INTEGER }])
    await revokeKey(db, revoked!.id)
    const names = async (limit: number) => (await recentKeys(db, limit)).map(({ id }) => id)
    assert.deepEqual(await names(10), [used!.id, old!.id])
    assert.deepEqual(await names(1), [used!.id])
  })
})

async function allPages(db: Database, owner: string) {
  const pages = [await listKeys(db, { limit: 10, owner })]
  while (pages.at(-1)!.nextCursor !== null)
    pages.push(await listKeys(db, { limit: 10, owner, cursor: pages.at(-1)!.nextCursor! }))
  return pages.map((page) => page.keys)
}

function newKey(parts: Partial<NewKey> = {}): NewKey {
  const id = randomUUID()
  const digest = randomUUID().replaceAll('-', '').repeat(2)
  const fixed = { name: 'test', kind: 'live', region: 'global', scopes: null, last4: 'abcd', expiresAt: null } as const
  return { id, digest, owner: id, ...fixed, ...parts }
}
