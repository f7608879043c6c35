import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextBatch, loopSlot, Batch } from './batch.ts'

test('what is added in one turn is done at its end, together and in order; what is added then, in the next', async () => {
  const done: string[] = []
  const batch = new Batch<string>((work) => {
    done.push(work)
    if (work === 'first') batch.add('later')
  })
  for (const work of ['first', 'second']) batch.add(work)
  assert.deepEqual([done, batch.size], [[], 2])
  await nextBatch()
  assert.deepEqual([done, batch.size], [['first', 'second'], 1])
  await nextBatch()
  assert.deepEqual(done, ['first', 'second', 'later'])
})

test('what was taken back is not done', async () => {
  const done: string[] = []
  const batch = new Batch<string>((work) => done.push(work))
  batch.add('never')
  assert.deepEqual(batch.clear(), ['never'])
  batch.add('once')
  for (let turns = 0; turns < 2; turns++) await nextBatch()
  assert.deepEqual(done, ['once'])
})

test('all waiters of one turn continue together, later ones in another turn', async () => {
  assert.equal(nextBatch(), nextBatch())
  const before = nextBatch()
  await before
  assert.notEqual(nextBatch(), before)
})

test('owners take turns, however many slots each waits for, and each slot is a turn of the event loop', async () => {
  const order: string[] = []
  let turn = 0
  const turns: number[] = []
  const count = () => {
    turn++
    if (turns.length < 6) setImmediate(count)
  }
  setImmediate(count)
  const wait = async (owner: string) => {
    await loopSlot(owner)
    order.push(owner)
    turns.push(turn)
  }
  await Promise.all(['a', 'a', 'a', 'b', 'c', 'b'].map(wait))
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  assert.equal(new Set(turns).size, 6)
})
