import { CLI } from '../audit/author.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importKeys, newKey } from '../../../test/fakes/new-key.ts'
import { onBothStores, passMillisecond } from '../../../test/fakes/stores.ts'
import { type Database, StoreUnavailable } from '../../platform/store/database.ts'
import { findKey, insertKey, revokeKey, type NewKey } from '../../platform/store/keys/keys.ts'
import { createKey, digestOf } from './api-keys.ts'
import { KeyCache } from './key-cache.ts'
import type { KeyFile } from './key-file.ts'
import { revokeIssued, rotateIssued, updateIssued } from './keys.ts'
import { HOUR_MS } from '../../base/units/units.ts'

await onBothStores('the key cache', ({ one: db, other }) => {
  test('an import of thousands of keys is not read, and a key of it is found when it is used', async () => {
    const counted = counting(db)
    const { keyCache } = await openCache(counted.db)
    const [key] = await insert(db, 1)
    assert.ok(await keyCache.find(key!))
    const used = createKey('live')
    const keys = Array.from({ length: 3_000 }, () => newKey())
    await importKeys(db, [...keys, newKey({ digest: digestOf(used), ownerId: 'imported' })])
    counted.reset()
    for (let i = 0; i < 3; i++) await keyCache.refresh()
    // A marker for each refresh, changes if the marker has moved, and the use of the first key.
    assert.ok(counted.queries <= 7, String(counted.queries))
    assert.ok(counted.rows <= 3, String(counted.rows))
    counted.reset()
    assert.equal((await keyCache.find(used))?.ownerId, 'imported')
    assert.deepEqual([counted.queries, counted.rows, keyCache.size], [1, 1, 2])
  })

  test('a change of many keys is read once, in pages, and only keys in use are kept', async () => {
    const counted = counting(db)
    const { keyCache } = await openCache(counted.db)
    const [key] = await insert(db, 1)
    await keyCache.find(key!)
    await importKeys(
      db,
      Array.from({ length: 1_200 }, () => newKey()),
    )
    await other.query("UPDATE keys SET region = 'eu'")
    counted.reset()
    await keyCache.refresh()
    await keyCache.refresh()
    assert.ok(counted.rows >= 1_201 && counted.rows <= 1_204, String(counted.rows))
    assert.equal(keyCache.size, 1)
    assert.equal((keyCache.find(key!) as { region: string }).region, 'eu')
  })

  test('a revoked key is refused at once where it was revoked, and elsewhere after a refresh', async () => {
    const [here, there] = [await openCache(db), await openCache(other)]
    const [key] = await insert(db, 1)
    for (const { keyCache } of [here, there]) assert.ok(await keyCache.find(key!))
    const id = ((await here.keyCache.find(key!)) as { keyId: string }).keyId
    await revokeIssued(id, { author: CLI, db, keyCache: here.keyCache })
    assert.equal(here.keyCache.find(key!), undefined)
    assert.ok(there.keyCache.find(key!))
    await there.keyCache.refresh()
    assert.equal(there.keyCache.find(key!), undefined)
  })

  test('the store is asked for revocations early enough to have an answer within five seconds', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] })
    const counted = counting(db)
    const keyCache = new KeyCache({ db: counted.db, now: Date.now, monotonic: () => performance.now() })
    await keyCache.open()
    counted.reset()
    context.mock.timers.tick(4_000)
    await keyCache.close()
    assert.ok(counted.queries > 0)
  })

  test('a key that is revoked while it is being looked up is not taken for valid', async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const slow: Database = {
      ...db,
      query: async (sql, values) => {
        const rows = await db.query(sql, values)
        if (/WHERE digest IN/.test(sql)) {
          asked.resolve()
          await gate.promise
        }
        return rows as never
      },
    }
    const { keyCache } = await openCache(slow)
    const [key] = await insert(db, 1)
    const found = keyCache.find(key!)
    await asked.promise
    await db.query('UPDATE keys SET revoked_at = 1')
    await keyCache.refresh()
    gate.resolve()
    assert.equal(await found, undefined)
    assert.equal(await keyCache.find(key!), undefined)
  })

  test('a refresh after a change sees it, although another refresh began before the change', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isSlow = false
    const query: Database['query'] = async (sql, values) => {
      const rows = await db.query(sql, values)
      if (isSlow) asked.resolve()
      if (isSlow) await gate.promise
      return rows as never
    }
    const { keyCache } = await openCache({ ...db, query })
    const [key] = await insert(db, 1)
    await keyCache.find(key!)
    isSlow = true
    void keyCache.refresh()
    await asked.promise
    await other.query('UPDATE keys SET revoked_at = 1')
    const late = keyCache.refresh()
    gate.resolve()
    await late
    assert.equal(keyCache.find(key!), undefined)
  })

  test('a key expires in its millisecond, without a refresh', async () => {
    const { keyCache, clocks } = await openCache(db)
    const [key] = await insert(db, 1, { expiresAt: 5_000 })
    clocks.wall = 4_999
    assert.ok(await keyCache.find(key!))
    clocks.wall = 5_000
    assert.equal(keyCache.find(key!), undefined)
  })

  test('an unknown key is looked up again after two seconds of the clock that does not jump', async () => {
    const counted = counting(db)
    const { keyCache, clocks } = await openCache(counted.db)
    const key = createKey('live')
    counted.reset()
    for (let i = 0; i < 3; i++) assert.equal(await keyCache.find(key), undefined)
    clocks.wall += HOUR_MS
    assert.equal(await keyCache.find(key), undefined)
    assert.equal(counted.queries, 1)
    clocks.monotonic += 2_001
    await insertKey(db, newKey({ digest: digestOf(key) }))
    assert.ok(await keyCache.find(key))
  })

  test('the last use of a key is written once a minute, and later if the store is away', async () => {
    const store = { ...db }
    const { keyCache, clocks } = await openCache(store)
    const [key] = await insert(db, 1)
    const { keyId } = (await keyCache.find(key!))!
    const lastUse = async () => (await findKey(db, keyId))!.lastUsedAt
    await keyCache.refresh()
    assert.equal(await lastUse(), 1_000)
    Object.assign(clocks, { wall: 50_000, monotonic: 50_000 })
    assert.ok(keyCache.find(key!))
    await keyCache.refresh()
    assert.equal(await lastUse(), 1_000)
    const away = () => Promise.reject(new StoreUnavailable('away'))
    Object.assign(store, { query: away, transaction: away })
    Object.assign(clocks, { wall: 70_000, monotonic: 70_000 })
    assert.ok(keyCache.find(key!))
    await keyCache.refresh()
    Object.assign(store, { query: db.query, transaction: db.transaction })
    await keyCache.refresh()
    assert.equal(await lastUse(), 70_000)
  })

  test('in a store that was replaced, every key is looked up again', async () => {
    let marker: string | undefined
    const replaced: Database = {
      ...db,
      query: async (sql, values) =>
        (marker !== undefined && /AS marker/.test(sql) ? [{ marker }] : await db.query(sql, values)) as never,
    }
    marker = db.kind === 'postgres' ? `${2 ** 40}:${2 ** 40}:` : `${2 ** 40}`
    const { keyCache } = await openCache(replaced)
    const [key] = await insert(db, 1)
    await keyCache.find(key!)
    await db.query('DELETE FROM keys')
    marker = undefined
    await keyCache.refresh()
    assert.equal(keyCache.size, 0)
    assert.equal(await keyCache.find(key!), undefined)
  })

  test('after a rotation both secrets open the key until the overlap is over, in every process', async () => {
    const [here, there] = [await openCache(db), await openCache(other)]
    const [old] = await insert(db, 1, { contentOf: 'team' })
    for (const { keyCache } of [here, there]) await keyCache.find(old!)
    const { keyId } = (await here.keyCache.find(old!))!
    const { key } = await rotateIssued(
      keyId,
      { overlap_seconds: 60 },
      { author: CLI, db, now: () => 0, keyCache: here.keyCache },
    )
    await there.keyCache.refresh()
    const [{ validUntil } = { validUntil: 0 }] = (await findKey(db, keyId))!.formerSecrets
    for (const { keyCache, clocks } of [here, there]) {
      clocks.wall = validUntil - 1
      for (const secret of [old!, key]) {
        const caller = await keyCache.find(secret)
        assert.deepEqual([caller?.keyId, caller?.ownerId], [keyId, 'team'])
      }
      clocks.wall = validUntil
      assert.equal(await keyCache.find(old!), undefined)
      assert.ok(await keyCache.find(key))
    }
    // A process that hears of neither before looks both up.
    const late = await openCache(other)
    late.clocks.wall = validUntil - 1
    assert.equal((await late.keyCache.find(old!))?.keyId, keyId)
    late.clocks.wall = validUntil
    assert.equal(await late.keyCache.find(old!), undefined)
  })

  test('a rotation without overlap, and a revocation, end every secret of the key in every process', async () => {
    const [here, there] = [await openCache(db), await openCache(other)]
    const [first] = await insert(db, 1)
    const { keyId } = (await here.keyCache.find(first!))!
    const rotate = (seconds: number) =>
      rotateIssued(keyId, { overlap_seconds: seconds }, { author: CLI, db, now: () => 0, keyCache: here.keyCache })
    const second = (await rotate(3_600)).key
    for (const secret of [first!, second]) assert.ok(await there.keyCache.find(secret))
    const third = (await rotate(0)).key
    await there.keyCache.refresh()
    for (const { keyCache, clocks } of [here, there]) {
      clocks.wall = Date.now() + 1
      for (const secret of [first!, second]) assert.equal(await keyCache.find(secret), undefined)
      assert.ok(await keyCache.find(third))
    }
    const fourth = (await rotate(3_600)).key
    await there.keyCache.refresh()
    for (const secret of [third, fourth]) assert.ok(await there.keyCache.find(secret))
    await revokeIssued(keyId, { author: CLI, db, keyCache: here.keyCache })
    await there.keyCache.refresh()
    for (const { keyCache } of [here, there])
      for (const secret of [first!, second, third, fourth]) assert.equal(await keyCache.find(secret), undefined)
  })

  test('a secret that a rotation has ended is noted on disk at once, like a revoked one', async () => {
    const ended: string[] = []
    const file = { revoke: (digests: string[]) => ended.push(...digests), add() {}, confirmed() {}, close() {} }
    const keyCache = new KeyCache({ db, now: Date.now, monotonic: () => 0, file: file as unknown as KeyFile })
    after(() => keyCache.close())
    const [first] = await insert(db, 1)
    const { keyId } = (await keyCache.find(first!))!
    const second = (await rotateIssued(keyId, { overlap_seconds: 60 }, { author: CLI, db, now: Date.now, keyCache }))
      .key
    assert.deepEqual(ended, [])
    await passMillisecond(db, (await findKey(db, keyId))!.updatedAt)
    await rotateIssued(keyId, {}, { author: CLI, db, now: () => 0, keyCache })
    assert.deepEqual(ended.sort(), [digestOf(first!), digestOf(second)].sort())
  })

  test('a change of scopes, addresses or expiry is heard of everywhere', async () => {
    const there = await openCache(other)
    const [key] = await insert(db, 1)
    const { keyId } = (await there.keyCache.find(key!))!
    await updateIssued(keyId, { scopes: ['chat'], allowed_ips: ['10.0.0.0/8'] }, { author: CLI, db, now: () => 0 })
    await there.keyCache.refresh()
    const caller = await there.keyCache.find(key!)
    assert.deepEqual([caller?.scopes, caller?.allowedIps], [['chat'], ['10.0.0.0/8']])
  })

  test('a revocation that is taken back counts too', async () => {
    const { keyCache } = await openCache(db)
    const [key] = await insert(db, 1)
    const { keyId } = (await keyCache.find(key!))!
    keyCache.apply([(await revokeKey(db, keyId))!])
    assert.equal(keyCache.find(key!), undefined)
    await other.query('UPDATE keys SET revoked_at = NULL')
    await keyCache.refresh()
    assert.ok(await keyCache.find(key!))
  })
})

/** Refreshes only if a test says so: on a busy machine, its own refreshes would come between the steps of a test. */
async function openCache(db: Database) {
  const clocks = { wall: 1_000, monotonic: 1_000 }
  const timing = { now: () => clocks.wall, monotonic: () => clocks.monotonic, refreshMs: HOUR_MS }
  const keyCache = new KeyCache({ db, ...timing })
  await keyCache.open()
  after(() => keyCache.close())
  return { keyCache, clocks }
}

async function insert(
  db: Database,
  count: number,
  { contentOf, ...parts }: Partial<NewKey> & { contentOf?: string } = {},
): Promise<string[]> {
  const keys = Array.from({ length: count }, () => createKey('live'))
  for (const key of keys) await insertKey(db, { ...newKey({ ...parts, digest: digestOf(key) }), contentOf })
  return keys
}

/** The store, with the queries and the rows that they return counted. */
function counting(db: Database) {
  const counts = { queries: 0, rows: 0, reset: () => Object.assign(counts, { queries: 0, rows: 0 }), db: counted() }
  return counts

  function counted(): Database {
    return {
      ...db,
      query: async (sql, values) => {
        const rows = await db.query(sql, values)
        counts.queries++
        counts.rows += rows.length
        return rows as never
      },
      transaction: async (statements, options) => {
        counts.queries += statements.length
        return db.transaction(statements, options)
      },
    }
  }
}
