import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimCapacity } from './claim-capacity.ts'
import { capacityFor, FairSemaphore } from './fair-semaphore.ts'

test('a single owner claims its share, and then only others may claim', () => {
  const capacity = capacityFor(64)
  assert.deepEqual(claimCapacity(new Map(), capacity), { limit: 64 })
  assert.deepEqual(claimCapacity(new Map([['a', 60]]), capacity), { limit: 4 })
  const { limit, maxRunning } = claimCapacity(new Map([['a', 64]]), capacity)
  assert.deepEqual([limit, maxRunning], [22, 62])
})

test('the last place is for an owner that has nothing', () => {
  assert.deepEqual(claimCapacity(new Map([['a', 64]]), 65), { limit: 1, maxRunning: 0 })
})

test('no owner may claim more at once than the semaphore would grant', () => {
  const counts = [0, 1, 2, 5, 9, 20, 40]
  for (const a of counts)
    for (const b of counts) {
      const semaphore = new FairSemaphore({ capacity: 86 })
      const owners = { a, b }
      const taken = new Map<string, number>()
      for (const [owner, wanted] of Object.entries(owners))
        for (let one = 0; one < wanted && semaphore.tryAcquire(owner); one++) taken.set(owner, semaphore.usedBy(owner))
      const { limit, maxRunning } = claimCapacity(taken, 86)
      if (maxRunning !== undefined) continue
      for (let one = 0; one < limit; one++)
        assert.equal(semaphore.tryAcquire('a'), true, JSON.stringify({ a, b, limit }))
    }
})
