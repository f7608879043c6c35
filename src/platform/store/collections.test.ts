import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ownerNamed } from '../../../test/fakes/owners.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import * as store from './collections.ts'
import type { Database } from './database.ts'

const ME = { ...ownerNamed('me'), kind: 'live' }
const OTHERS = [
  { owner: 'you', kind: 'live' },
  { owner: 'me', kind: 'sandbox' },
]
const ONE = { model: 'image/face_recognition/amazon', provider: 'amazon', name: 'Staff' }

await onBothStores('collections', ({ one: db, other }) => {
  test('a collection is seen by its owner alone, on every instance', async () => {
    const id = await added(db)
    const found = await store.findCollection(other, ME, id)
    assert.deepEqual([found?.model, found?.provider, found?.name], ['image/face_recognition/amazon', 'amazon', 'Staff'])
    for (const stranger of OTHERS) {
      assert.equal(await store.findCollection(db, stranger, id), undefined)
      assert.equal(await store.deleteCollection(db, stranger, id), false)
      assert.deepEqual((await store.listCollections(db, stranger, { page: 1, limit: 10 })).collections, [])
    }
    assert.equal(await store.deleteCollection(db, ME, id), true)
    assert.equal(await store.deleteCollection(db, ME, id), false)
  })

  test('lists are read page by page, by model too', async () => {
    const mine = { ...ownerNamed(randomUUID()), kind: 'live' }
    for (const model of ['a/b/c', 'a/b/d', 'a/b/c']) await added(db, mine, model)
    const first = await store.listCollections(db, mine, { page: 1, limit: 2 })
    const second = await store.listCollections(db, mine, { page: 2, limit: 2 })
    assert.deepEqual([first.total, first.collections.length, second.collections.length], [3, 2, 1])
    assert.equal((await store.listCollections(db, mine, { model: 'a/b/c', page: 1, limit: 9 })).total, 2)
  })

  test('an owner at its limit gets no more, until one is deleted', async () => {
    const mine = { ...ownerNamed(randomUUID()), kind: 'live' }
    const [first] = [await added(db, mine), await added(db, mine)]
    const insert = () => store.insertCollection(db, mine, { ...ONE, id: randomUUID() }, 2)
    assert.equal(await insert(), false)
    await store.deleteCollection(db, mine, first!)
    assert.deepEqual([await insert(), await insert()], [true, false])
    assert.equal((await store.listCollections(db, mine, { page: 1, limit: 9 })).total, 2)
  })

  test('items are deleted with their collection, and a deleted collection gets none', async () => {
    const id = await added(db)
    await store.insertItems(db, id, ['b', 'a'])
    await store.insertItems(db, id, ['b'])
    assert.deepEqual((await store.listItems(db, id, { page: 1, limit: 9 })).items.toSorted(), ['a', 'b'])
    assert.equal((await store.listItems(db, id, { page: 2, limit: 1 })).items.length, 1)
    await store.deleteItem(db, id, 'a')
    assert.deepEqual([await store.hasItem(db, id, 'a'), await store.hasItem(db, id, 'b')], [false, true])
    await store.deleteCollection(db, ME, id)
    await store.insertItems(db, id, ['c'])
    assert.equal((await store.listItems(db, id, { page: 1, limit: 9 })).total, 0)
  })
})

async function added(db: Database, mine = ME, model = ONE.model): Promise<string> {
  const id = randomUUID()
  await store.insertCollection(db, mine, { ...ONE, id, model }, 100)
  return id
}
