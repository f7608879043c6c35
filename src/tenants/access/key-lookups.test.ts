import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../platform/store/database.ts'
import { createKey, digestOf } from './api-keys.ts'
import { KeyCache } from './key-cache.ts'

// Floods of keys that do not exist. The store answers when the test says so.

const CLOCKS = { now: Date.now, monotonic: () => performance.now() }
const from = (clientAddress: string) => ({ clientAddress })

test('a flood is looked up with one query at a time, many keys in each', async () => {
  const store = slowStore()
  const keyCache = new KeyCache({ db: store.db, ...CLOCKS })
  const found = Array.from({ length: 1_000 }, () => keyCache.find(createKey('live'), from('192.0.2.1')))
  for (let answered = 0; answered < 1_000; answered += 200) assert.equal((await store.answer()).length, 200)
  assert.deepEqual(new Set(await Promise.all(found)), new Set([undefined]))
  assert.equal(store.mostAtOnce, 1)
})

test('a flood from one address delays the key of another by one query, and refuses none of it', async () => {
  const store = slowStore()
  const keyCache = new KeyCache({ db: store.db, ...CLOCKS })
  const flood = Array.from({ length: 6_000 }, () => keyCache.find(createKey('live'), from('192.0.2.1')))
  const refused = Promise.allSettled(flood)
  await store.asked()
  const keys = Array.from({ length: 50 }, () => createKey('live'))
  const found = keys.map((key, index) => keyCache.find(key, from(`198.51.100.${index}`)))
  await store.answer()
  const second = await store.answer()
  assert.deepEqual(
    keys.filter((key) => !second.includes(digestOf(key))),
    [],
  )
  assert.deepEqual(new Set(await Promise.all(found)), new Set([undefined]))
  while (store.queries.length > 0) await store.answer()
  const reasons = (await refused).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  assert.equal(reasons.length, 3_000)
  for (const { status, code } of reasons) assert.deepEqual([status, code], [503, 'unavailable'])
})

test('keys that were looked up and not found by one address are forgotten before those of another', async () => {
  const store = slowStore()
  const keyCache = new KeyCache({ db: store.db, ...CLOCKS, monotonic: () => 0 })
  const wrong = createKey('live')
  const first = keyCache.find(wrong, from('198.51.100.1'))
  await store.answer()
  assert.equal(await first, undefined)
  for (let batch = 0; batch < 60; batch++) {
    const found = Array.from({ length: 200 }, () => keyCache.find(createKey('live'), from('192.0.2.1')))
    await store.answer()
    await Promise.all(found)
  }
  assert.equal(keyCache.find(wrong, from('198.51.100.1')), undefined)
})

test('when the store fails, all that waited are asked to try again, and the next key is looked up', async () => {
  const store = slowStore()
  const keyCache = new KeyCache({ db: store.db, ...CLOCKS })
  const found = Array.from({ length: 3 }, () => keyCache.find(createKey('live')))
  await store.fail()
  for (const one of await Promise.allSettled(found))
    assert.equal(one.status === 'rejected' && one.reason.code, 'unavailable')
  const next = keyCache.find(createKey('live'))
  await store.answer()
  assert.equal(await next, undefined)
})

/** A store without keys that answers one query after the other, when it is told to. */
function slowStore() {
  const queries: { digests: unknown[]; settled: PromiseWithResolvers<never[]> }[] = []
  const store = { db: { query } as unknown as Database, queries, mostAtOnce: 0, asked, answer, fail }
  return store

  function query(_sql: string, digests: unknown[]) {
    const settled = Promise.withResolvers<never[]>()
    store.mostAtOnce = Math.max(store.mostAtOnce, queries.push({ digests, settled }))
    return settled.promise
  }

  async function answer(): Promise<unknown[]> {
    const { digests, settled } = await next()
    settled.resolve([])
    await turn()
    return digests
  }

  async function fail(): Promise<void> {
    const { settled } = await next()
    settled.reject(new Error('broken'))
  }

  async function asked(): Promise<void> {
    while (queries.length === 0) await turn()
  }

  async function next() {
    await asked()
    return queries.shift()!
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
