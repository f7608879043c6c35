import { CLI } from '../audit/author.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newKey } from '../../../test/fakes/new-key.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKey, findKeysByDigest } from '../../platform/store/keys/keys.ts'
import { type ImportedKey, importKeys } from '../../platform/store/keys/imported-keys.ts'
import { createKey, digestOf } from './api-keys.ts'
import { KeyCache } from './key-cache.ts'
import { rotateIssued, revokeIssued } from './keys.ts'

const FOREIGN = 'sk-Sz3xkVb0F2aYt1nRvQ9dXw'
const from = (clientAddress: string) => ({ clientAddress })

await onBothStores('keys of another gateway', ({ one: db, other }) => {
  test('are found while the process runs, whatever their shape, and refused once they are revoked', async () => {
    const { keyCache } = await openCache(db)
    assert.equal(keyCache.find(FOREIGN), undefined, 'without an imported key, the store is not asked')
    await importKeys(other, [imported(FOREIGN, { ownerId: 'team' }), imported('short')])
    await keyCache.refresh()
    assert.equal((await keyCache.find(FOREIGN))?.ownerId, 'team')
    assert.ok(await keyCache.find('short'))
    const { keyId } = (await keyCache.find('short'))!
    await revokeIssued(keyId, { author: CLI, db: other })
    await keyCache.refresh()
    assert.equal(keyCache.find('short'), undefined)
    // In memory by now: neither the next request nor the next start needs the import again.
    assert.ok(!(keyCache.find(FOREIGN) instanceof Promise))
    assert.ok(await (await openCache(other)).keyCache.find(FOREIGN))
  })

  test('an import again changes nothing, not even a key that was rotated or renamed here', async () => {
    const keys = [imported('sk-one'), imported('sk-two'), imported('sk-three', {}, true)]
    assert.deepEqual(await importKeys(db, keys), { added: 3, present: 0, revoked: 1 })
    assert.deepEqual(await importKeys(other, keys), { added: 0, present: 3, revoked: 0 })
    const rotated = await rotateIssued(keys[0]!.id, { overlap_seconds: 60 }, { author: CLI, db, now: () => 0 })
    const before = await findKey(db, keys[0]!.id)
    assert.deepEqual(await importKeys(db, keys), { added: 0, present: 3, revoked: 0 })
    assert.deepEqual(await findKey(db, keys[0]!.id), before)
    assert.equal((await findKeysByDigest(db, [digestOf(rotated.key)]))[0]!.id, keys[0]!.id)
    assert.notEqual((await findKey(db, keys[2]!.id))!.revokedAt, null)
  })

  test('a key that is blocked at its source later is revoked here too', async () => {
    await importKeys(db, [imported('sk-blocked')])
    const { keyCache } = await openCache(db)
    assert.ok(await keyCache.find('sk-blocked'))
    assert.deepEqual(await importKeys(other, [imported('sk-blocked', {}, true)]), { added: 0, present: 1, revoked: 1 })
    await keyCache.refresh()
    assert.equal(keyCache.find('sk-blocked'), undefined)
  })

  test('an import is added as a whole or not at all', async () => {
    const keys = [imported('sk-whole'), { ...imported('sk-broken'), name: null as unknown as string }]
    await assert.rejects(importKeys(db, keys))
    assert.deepEqual(await findKeysByDigest(db, [digestOf('sk-whole')]), [])
  })

  test('a mistyped key of ours is refused without a query, also where there are imported keys', async () => {
    await importKeys(db, [imported('sk-there-is-one')])
    const { keyCache, asked } = await openCache(db)
    asked.length = 0
    for (const key of [createKey('live').slice(0, -1), 'gate_', 'gate_live_x'])
      assert.equal(keyCache.find(key), undefined)
    assert.deepEqual(asked, [])
  })

  test('a flood of invented keys of other shapes is a few queries, and each key is asked for once', async () => {
    await importKeys(db, [imported('sk-real-one')])
    const { keyCache, asked } = await openCache(db)
    asked.length = 0
    const invented = Array.from({ length: 1_000 }, (_, index) => `sk-${index}`)
    const flood = invented.map((key) => keyCache.find(key, from('192.0.2.1')))
    const real = keyCache.find('sk-real-one', from('198.51.100.1'))
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([undefined]))
    assert.ok(await real)
    assert.ok(asked.length <= 6, String(asked.length))
    asked.length = 0
    for (const key of invented) assert.equal(keyCache.find(key, from('192.0.2.1')), undefined)
    assert.deepEqual(asked, [])
  })
})

test('before the store was reached, a key of another shape is neither accepted nor called wrong', async () => {
  const away = { query: () => Promise.reject(new Error('away')) } as unknown as Database
  const keyCache = new KeyCache({ db: away, now: () => 0, monotonic: () => 0 })
  await assert.rejects(async () => await keyCache.find(FOREIGN), { code: 'unavailable' })
  assert.equal(keyCache.find('gate_live_mistyped'), undefined)
})

function imported(key: string, parts: Partial<ImportedKey> = {}, isBlocked = false): ImportedKey {
  const digest = digestOf(key)
  const id = `imported-${digest.slice(0, 8)}`
  return { ...newKey({ id, ownerId: id, digest }), importedFrom: 'litellm', createdAt: 5, isBlocked, ...parts }
}

async function openCache(db: Database) {
  const asked: string[] = []
  const query: Database['query'] = async (sql, values) => {
    asked.push(sql)
    return await db.query(sql, values)
  }
  const keyCache = new KeyCache({ db: { ...db, query }, now: () => 1_000, monotonic: () => 1_000 })
  await keyCache.open()
  after(() => keyCache.close())
  return { keyCache, asked }
}
