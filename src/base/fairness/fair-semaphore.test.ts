import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../test/soak/sample.ts'
import { capacityFor, FairSemaphore, NoCapacity } from './fair-semaphore.ts'

const never = new AbortController().signal

test('one owner never gets everything, and a newcomer finds some', () => {
  const semaphore = new FairSemaphore({ capacity: 8, share: 3 })
  while (semaphore.tryAcquire('a'));
  assert.equal(semaphore.usedBy('a'), 6)
  assert.equal(semaphore.tryAcquire('b'), true)
  assert.equal(semaphore.tryAcquire('b'), false)
})

test('capacityFor returns exactly what a single owner gets', () => {
  for (const perOwner of [1, 2, 3, 8, 64, 1_024, 5_000]) {
    const semaphore = new FairSemaphore({ capacity: capacityFor(perOwner) })
    while (semaphore.tryAcquire('a'));
    assert.equal(semaphore.usedBy('a'), perOwner)
    assert.equal(semaphore.tryAcquire('b'), true)
  }
})

test('after closing, everything that waits is rejected, and held units can be released', async () => {
  const semaphore = new FairSemaphore({ capacity: 1 })
  await semaphore.acquire('a', 1, never)
  const waiting = ['a', 'b', 'b'].map((owner) => semaphore.acquire(owner, 1, never))
  semaphore.close(new Error('closed'))
  for (const one of waiting) await assert.rejects(one, /closed/)
  semaphore.release('a')
  assert.equal(semaphore.used, 0)
})

test('a request larger than a share is granted if its owner holds nothing', () => {
  const semaphore = new FairSemaphore({ capacity: 8, share: 3 })
  assert.equal(semaphore.tryAcquire('a', 8), true)
  assert.equal(semaphore.used, 8)
})

test('owners are served in rotation, however many requests they have waiting', async () => {
  const semaphore = new FairSemaphore({ capacity: 1 })
  await semaphore.acquire('a', 1, never)
  const order: string[] = []
  const wait = (owner: string) => semaphore.acquire(owner, 1, never).then(() => order.push(owner))
  const all = ['a', 'a', 'a', 'b', 'c', 'b'].map(wait)
  semaphore.release('a')
  for (let served = 0; served < all.length; served++) {
    await new Promise(setImmediate)
    semaphore.release(order.at(-1)!)
  }
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  assert.equal(semaphore.used, 0)
})

test('a later request of an owner does not overtake an earlier one', async () => {
  const semaphore = new FairSemaphore({ capacity: 4 })
  await semaphore.acquire('a', 2, never)
  const large = semaphore.acquire('a', 4, never)
  assert.equal(semaphore.tryAcquire('a', 1), false)
  semaphore.release('a', 2)
  await large
  assert.equal(semaphore.usedBy('a'), 4)
})

test('a request that is aborted while waiting takes nothing, and lets the next one through', async () => {
  const semaphore = new FairSemaphore({ capacity: 4 })
  await semaphore.acquire('a', 2, never)
  const leaving = new AbortController()
  const large = semaphore.acquire('a', 3, leaving.signal)
  const small = semaphore.acquire('a', 1, never)
  leaving.abort(new Error('left'))
  await assert.rejects(large, /left/)
  await small
  assert.equal(semaphore.usedBy('a'), 3)
})

test('a request for more than the total, and a queue that is too long, are refused at once', async () => {
  const semaphore = new FairSemaphore({ capacity: 4, maxWaiting: 1 })
  await assert.rejects(semaphore.acquire('a', 5, never), NoCapacity)
  await semaphore.acquire('a', 3, never)
  void semaphore.acquire('a', 1, never)
  await assert.rejects(semaphore.acquire('a', 1, never), NoCapacity)
  assert.equal(semaphore.tryAcquire('b'), true, 'each owner has its own queue')
})

test('releasing more than was acquired throws', () => {
  const semaphore = new FairSemaphore({ capacity: 4 })
  semaphore.tryAcquire('a', 2)
  assert.throws(() => semaphore.release('a', 3))
  assert.throws(() => semaphore.release('b', 1))
})

test('whatever happens, nothing is lost, exceeded or left waiting without a reason', async () => {
  const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), units: fc.integer({ min: 1, max: 6 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const semaphore = new FairSemaphore({ capacity: 6 })
      const held: { owner: string; units: number }[] = []
      const all = steps.map((one) => semaphore.acquire(one.owner, one.units, never).then(() => held.push(one)))
      for (let released = 0; released < steps.length; released++) {
        await new Promise(setImmediate)
        assert.equal(
          semaphore.used,
          held.slice(released).reduce((sum, { units }) => sum + units, 0),
        )
        assert.ok(semaphore.used <= 6)
        const next = held[released]
        assert.ok(next, 'units are held as long as an owner waits')
        semaphore.release(next.owner, next.units)
      }
      await Promise.all(all)
      assert.equal(semaphore.used, 0)
    }),
    { numRuns: sample(60, 200) },
  )
})

test('a growing request may take everything that is free while its owner holds nothing else', async () => {
  const semaphore = new FairSemaphore({ capacity: 8, share: 1 })
  await semaphore.acquire('a', 3, never)
  assert.equal(semaphore.tryAcquire('a', 5), false)
  assert.equal(semaphore.tryAcquire('a', 5, { held: 3 }), true)
  await assert.rejects(semaphore.acquire('b', 6, never, { held: 3 }), NoCapacity)
})

test('a growing request is served before requests of its owner that have not begun', async () => {
  const semaphore = new FairSemaphore({ capacity: 4 })
  const order: string[] = []
  await semaphore.acquire('b', 2, never)
  await semaphore.acquire('a', 2, never)
  const begins = semaphore.acquire('a', 4, never).then(() => order.push('begins'))
  const grows = semaphore.acquire('a', 1, never, { held: 2 }).then(() => order.push('grows'))
  semaphore.release('b', 2)
  await grows
  semaphore.release('a', 3)
  await begins
  assert.deepEqual(order, ['grows', 'begins'])
})

test('two waiting requests of one holder do not block each other', async () => {
  const semaphore = new FairSemaphore({ capacity: 8, share: 1 })
  await semaphore.acquire('b', 8, never)
  const holder = { held: 0 }
  const first = semaphore.acquire('a', 4, never, holder)
  const another = semaphore.acquire('a', 8, never, { held: 0 })
  const second = semaphore.acquire('a', 4, never, holder)
  semaphore.release('b', 8)
  await Promise.all([first, second])
  assert.deepEqual([holder.held, semaphore.usedBy('a')], [8, 8])
  semaphore.release('a', 8)
  await another
})

test('a large request is granted although another owner keeps taking whatever it releases', async () => {
  for (const [before, units] of [
    [0, 40],
    [0, 50],
    [10, 25],
  ] as const) {
    const semaphore = new FairSemaphore({ capacity: 100 })
    if (before > 0) semaphore.tryAcquire('a', before)
    while (semaphore.tryAcquire('b', 5));
    let isMet = false
    const large = semaphore.acquire('a', units, never).then(() => {
      isMet = true
    })
    let rounds = 0
    for (; !isMet && rounds < 1_000; rounds++) {
      semaphore.release('b', 5)
      void semaphore.acquire('b', 5, never).catch(() => {})
      await new Promise(setImmediate)
    }
    assert.ok(rounds < 20, `${units} beside ${before}: ${rounds} rounds`)
    await large
  }
})

test('an owner that waits for much blocks neither owners that hold less nor requests that have begun', async () => {
  const semaphore = new FairSemaphore({ capacity: 100 })
  const begun = { held: 0 }
  await semaphore.acquire('b', 70, never, begun)
  void semaphore.acquire('a', 40, never)
  assert.equal(semaphore.tryAcquire('c', 5), true)
  assert.equal(semaphore.tryAcquire('c', 5), true)
  assert.equal(semaphore.tryAcquire('b', 5, begun), true)
  assert.equal(semaphore.tryAcquire('b', 1), false)
})
