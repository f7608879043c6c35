import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { importKeys, newKey } from '../../../../test/fakes/new-key.ts'
import { onBothStores, passMillisecond } from '../../../../test/fakes/stores.ts'
import { Problem } from '../../../contract/problems.ts'
import type { Database } from '../database.ts'
import { findKey, findKeysByDigest, insertKey, listKeys, revokeKey, touchKeys } from './keys.ts'

await onBothStores('keys', ({ one: db, other }) => {
  test('shows what one instance wrote to another', async () => {
    const key = newKey()
    await insertKey(db, key)
    assert.equal((await findKeyByDigest(other, key.digest))?.id, key.id)
    assert.equal((await revokeKey(other, key.id))?.id, key.id)
    assert.notEqual((await findKeyByDigest(db, key.digest))?.revokedAt, null)
  })

  test('takes SQL in values for the text it is', async () => {
    for (const text of ["'; DROP TABLE keys; --", '$1', '" OR 1=1 --', "\\'; SELECT 1", '%_%', '/*', '?1']) {
      const key = newKey({ name: text, user: text })
      await insertKey(db, key)
      assert.equal((await findKeyByDigest(db, key.digest))?.name, text)
      const { keys } = await listKeys(db, { limit: 10, user: text })
      assert.deepEqual(
        keys.map(({ id }) => id),
        [key.id],
      )
      assert.equal(await findKeyByDigest(db, text), undefined)
      assert.equal(await revokeKey(db, text), undefined)
    }
  })

  test('keeps a key, once per digest', async () => {
    const key = newKey({ scopes: ['chat', 'images'], expiresAt: 4_102_444_800_000 })
    const stored = await insertKey(db, key)
    assert.ok(stored)
    assert.ok(stored.createdAt > 1_700_000_000_000 && Number.isInteger(stored.createdAt))
    const { createdAt, updatedAt, ...rest } = stored
    const ofProject = { organization: 'default', projectRegion: null, projectPolicy: null }
    const recording = { recordLeft: null, recordUntil: null, recordMode: null }
    assert.deepEqual(rest, { ...key, ...ofProject, ...recording, revokedAt: null, lastUsedAt: null, formerSecrets: [] })
    assert.deepEqual(await findKeyByDigest(db, key.digest), stored)
    assert.equal(await insertKey(db, newKey({ digest: key.digest })), undefined)
    assert.equal((await insertKey(db, newKey()))?.scopes, null)
  })

  test('lists keys newest first, page by page', async () => {
    // Several keys share a millisecond.
    const inserted = await Promise.all(Array.from({ length: 23 }, () => insertKey(db, newKey({ user: 'many' }))))
    await insertKey(db, newKey({ user: 'other' }))
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

  test('revokes a key for good', async () => {
    const key = (await insertKey(db, newKey()))!
    await passMillisecond(db, key.updatedAt)
    const revoked = (await revokeKey(db, key.id))!
    assert.ok(revoked.revokedAt! > key.updatedAt)
    await passMillisecond(db, revoked.updatedAt)
    assert.deepEqual(await revokeKey(db, key.id), revoked)
    assert.deepEqual(await findKeyByDigest(db, key.digest), revoked)
    assert.equal(await revokeKey(db, randomUUID()), undefined)
  })

  test('finds any number of keys at once, each once, and only those', async () => {
    const stored = Array.from({ length: 203 }, () => newKey())
    await importKeys(db, stored)
    const keys = stored.map(({ digest }) => digest)
    for (const count of [1, 2, 10, 11, 200, 203]) {
      const digests = [...keys.slice(0, count), 'f'.repeat(64)].slice(-count)
      const found = await findKeysByDigest(db, digests)
      assert.deepEqual(found.map(({ digest }) => digest).sort(), digests.filter((one) => keys.includes(one)).sort())
    }
  })

  test('notes the last use of keys, forward only', async () => {
    const keys: Awaited<ReturnType<typeof insertKey>>[] = []
    while (keys.length < 113) keys.push(await insertKey(db, newKey()))
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
    for (const [index, key] of keys.entries()) {
      const expected = { ...key, lastUsedAt: index === 1 ? 5_000 : 1_000 + index }
      assert.deepEqual(await findKey(db, key!.id), expected)
    }
  })
})

async function findKeyByDigest(db: Database, digest: string) {
  return (await findKeysByDigest(db, [digest]))[0]
}

async function allPages(db: Database, user: string) {
  const pages = [await listKeys(db, { limit: 10, user })]
  while (pages.at(-1)!.nextCursor !== null)
    pages.push(await listKeys(db, { limit: 10, user, cursor: pages.at(-1)!.nextCursor! }))
  return pages.map((page) => page.keys)
}
