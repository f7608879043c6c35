import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ownerNamed } from '../../../../test/fakes/owners.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { Database } from '../database.ts'
import * as items from './conversation-items.ts'
import * as store from './conversations.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const ME = 'me'
const OWNED = { conversations: 10, ownerBytes: 1_000 }
const LIMITS = { items: 6, bytes: 200, ownerBytes: 300 }

await onBothStores('conversations', ({ one, other }) => {
  test('are found, changed and deleted by their owner alone, on every instance', async () => {
    const id = await made(one)
    const found = await store.findConversation(other, ME, id)
    assert.deepEqual([found?.metadata, found?.items, found?.bytes], ['{}', 0, 2])
    assert.equal(await store.findConversation(one, 'you', id), undefined)
    assert.equal(await store.changeMetadata(one, 'you', { id, metadata: '{"a":"1"}' }), undefined)
    assert.equal(await store.deleteConversation(one, 'you', id), false)
    assert.equal(await append(one, id, ['x'], { owner: 'you' }), false)
    assert.equal((await store.changeMetadata(one, ME, { id, metadata: '{"a":"1"}' }))?.metadata, '{"a":"1"}')
    assert.equal(await store.deleteConversation(other, ME, id), true)
    assert.equal(await store.deleteConversation(one, ME, id), false)
    assert.equal(await append(one, id, ['x']), false)
  })

  test('concurrent additions of two instances stay blocks, and none is lost', async () => {
    const id = await made(one)
    const names = Array.from({ length: 20 }, (_, at) => [`${at}a`, `${at}b`, `${at}c`])
    await Promise.all(names.map((block, at) => append(at % 2 ? one : other, id, block)))
    const all = (await items.allItems(one, id)).map((row) => row.id)
    assert.equal(all.length, 60)
    for (const block of names) assert.deepEqual(all.slice(all.indexOf(block[0]!)).slice(0, 3), block)
    assert.equal((await store.findConversation(one, ME, id))?.items, 60)
  })

  test('items are listed in both orders from any of them, found and deleted', async () => {
    const id = await made(one)
    await append(one, id, ['a', 'b', 'c'])
    const listed = async (query: Partial<items.ItemQuery>) =>
      (await items.listItemsAfter(other, id, { order: 'asc', limit: 2, ...query }))?.map((row) => row.id)
    assert.deepEqual(await listed({}), ['a', 'b'])
    assert.deepEqual(await listed({ after: 'b' }), ['c'])
    assert.deepEqual(await listed({ order: 'desc', after: 'c', limit: 9 }), ['b', 'a'])
    assert.equal(await listed({ after: 'z' }), undefined)
    assert.equal(await items.bytesOfLargest(one, id, 2), 6)
    const deletions = await Promise.all([items.deleteItem(one, id, 'b'), items.deleteItem(other, id, 'b')])
    assert.deepEqual(deletions.sort(), [false, true])
    const left = await store.findConversation(one, ME, id)
    assert.deepEqual([left?.items, left?.bytes, await items.findItem(one, id, 'b')], [2, 8, undefined])
    assert.equal((await items.findItem(one, id, 'a'))?.item, '"a"')
  })

  test('a limit of the conversation or of the owner refuses the whole addition', async () => {
    const [first, second] = [await made(one), await made(one)]
    assert.equal(await append(one, first, ['a', 'b', 'c', 'd'], {}, LIMITS), true)
    assert.equal(await append(one, first, ['e', 'f', 'g'], {}, LIMITS), false)
    assert.equal(await append(one, first, ['x'.repeat(190)], {}, LIMITS), false)
    assert.equal((await items.allItems(one, first)).length, 4)
    assert.equal(await append(one, first, ['x'.repeat(150)], {}, LIMITS), true)
    assert.equal(await append(one, second, ['y'.repeat(150)], {}, LIMITS), false)
    assert.equal(await append(one, second, ['y'.repeat(90)], {}, LIMITS), true)
    const next = { id: randomUUID(), ...ownerNamed(ME), metadata: '{}', lifetimeMs: DAY_MS }
    assert.equal(await store.insertConversation(one, next, { ...OWNED, conversations: 2 }), false)
    assert.equal(await store.insertConversation(one, next, { ...OWNED, ownerBytes: 200 }), false)
    assert.equal(
      await store.insertConversation(one, { ...next, owner: 'you' }, { conversations: 1, ownerBytes: 2 }),
      true,
    )
  })

  test('a conversation without a new item during its retention is gone, and is removed with its items', async () => {
    const [old, current] = [await made(one), await made(one)]
    for (const id of [old, current]) await append(one, id, ['a'])
    await append(one, old, ['b'], { lifetimeMs: -1 })
    assert.equal(await store.findConversation(one, ME, old), undefined)
    assert.equal(await append(one, old, ['c']), false)
    assert.equal(await store.expireConversations(one, 10), 1)
    assert.deepEqual(await items.allItems(one, old), [])
    assert.equal((await items.allItems(one, current)).length, 1)
  })
})

async function made(db: Database): Promise<string> {
  const id = randomUUID()
  assert.ok(await store.insertConversation(db, { id, ...ownerNamed(ME), metadata: '{}', lifetimeMs: DAY_MS }, OWNED))
  return id
}

async function append(
  db: Database,
  conversation: string,
  ids: string[],
  parts: Partial<store.Addition> = {},
  limits?: store.ConversationLimits,
): Promise<boolean> {
  const rows = ids.map((id) => ({ id, item: JSON.stringify(id) }))
  const addition = { conversation, owner: ME, items: rows, lifetimeMs: DAY_MS, token: randomUUID(), ...parts }
  return await store.appendItems(db, addition, limits)
}
