import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NoCapacity } from '../../base/fairness/fair-semaphore.ts'
import type { Database } from './database.ts'
import { scanFairly } from './owner-scans.ts'

test('a few queries of one owner at a time, so that one of another does not wait for hundreds', async () => {
  const db = {} as Database
  const begun: string[] = []
  const ends: (() => void)[] = []
  const scan = (owner: string) =>
    scanFairly(db, owner, () => {
      begun.push(owner)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = [...Array(100).fill('a'), 'b', 'c'].map(scan)
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['a', 'a', 'b'])
  ends[2]!()
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['a', 'a', 'b', 'c'])
  for (let ended = 0; ended < all.length; ended++) {
    while (!ends[ended]) await new Promise(setImmediate)
    ends[ended]!()
  }
  await Promise.all(all)
  assert.equal(begun.length, 102)
})

test('a query that fails gives its place back', async () => {
  const db = {} as Database
  for (let times = 0; times < 10; times++)
    await assert.rejects(
      scanFairly(db, 'a', () => Promise.reject(new Error('away'))),
      /away/,
    )
  assert.equal(await scanFairly(db, 'a', async () => 'here'), 'here')
})

test('a scan that waits too long is refused, and leaves the queue', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const db = {} as Database
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = [1, 2].map(() => scanFairly(db, 'a', () => promise))
  let hasBegun = false
  const late = scanFairly(db, 'a', async () => {
    hasBegun = true
  })
  t.mock.timers.tick(30_000)
  await assert.rejects(late, NoCapacity)
  resolve()
  await Promise.all(first)
  assert.equal(hasBegun, false)
})
