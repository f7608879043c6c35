import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientGone } from './client-gone.ts'
import { MemoryBudget } from './memory-budget.ts'

test('closing a lease ends its wait and leaves nothing in the queue', async () => {
  const { budget, full } = filled()
  const lease = budget.lease('b')
  const waiting = lease.hold(100)
  lease.close()
  await assert.rejects(waiting, ClientGone)
  await assert.rejects(lease.hold(1), ClientGone)
  full.close()
  assert.equal(budget.held, 0)
})

test('a lease that is closed at the moment of the grant releases the bytes', async () => {
  const { budget, full } = filled()
  const lease = budget.lease('b')
  const waiting = lease.hold(100)
  full.close()
  lease.close()
  await assert.rejects(waiting, ClientGone)
  assert.equal(budget.held, 0)
})

test('the second reader of a file waits with the first, and the file is counted once', async () => {
  const { budget, full } = filled()
  const lease = budget.lease('b')
  const thing = {}
  let passed = 0
  const both = [1, 2].map(() => lease.holdOnce(thing, 100).then(() => passed++))
  await new Promise(setImmediate)
  assert.equal(passed, 0)
  full.close()
  await Promise.all(both)
  assert.deepEqual([passed, budget.held], [2, 100])
})

test('a file for which there was no memory is counted when it is read again', async () => {
  const { budget, full } = filled()
  const lease = budget.lease('b')
  const thing = {}
  const left = new AbortController()
  const waiting = lease.holdOnce(thing, 100, left.signal)
  left.abort(new Error('left'))
  await assert.rejects(waiting, /left/)
  full.close()
  await lease.holdOnce(thing, 100)
  assert.equal(budget.held, 100)
})

test('two waits on one lease do not block each other', async () => {
  const { budget, full } = filled()
  const lease = budget.lease('b')
  const both = [lease.hold(400), lease.hold(500)]
  full.close()
  await Promise.all(both)
  assert.equal(budget.held, 900)
})

test('a part of the only lease of an owner may grow into all that is free, and ends before it', async () => {
  const budget = new MemoryBudget({ capacity: 1_000 })
  const lease = budget.lease('a')
  const part = lease.part()
  assert.deepEqual([lease.tryHold(100), part.tryHold(850)], [true, true])
  assert.equal(budget.lease('a').tryHold(10), false)
  part.empty()
  assert.equal(budget.held, 100)
  assert.equal(part.tryHold(900), true)
  part.close()
  lease.close()
  assert.deepEqual([budget.held, lease.held], [0, 0])
})

/** A budget that another owner holds completely. */
function filled() {
  const budget = new MemoryBudget({ capacity: 1_000 })
  const full = budget.lease('a')
  assert.equal(full.tryHold(1_000), true)
  return { budget, full }
}
