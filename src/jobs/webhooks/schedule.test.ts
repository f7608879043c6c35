import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryDelayMs } from './schedule.ts'

const LEAST = () => 0
const MAX = () => 1

test('after each of the first three attempts comes another, later each time and within 30 seconds', () => {
  const range = (attempts: number) => [retryDelayMs(attempts, LEAST), retryDelayMs(attempts, MAX)]
  assert.deepEqual([1, 2, 3, 4, 5].map(range), [
    [1_600, 2_400],
    [6_400, 9_600],
    [24_000, 30_000],
    [undefined, undefined],
    [undefined, undefined],
  ])
})

test('a crowd that failed together does not come back together', () => {
  for (const attempts of [1, 2, 3]) {
    const delays = Array.from({ length: 200 }, (_, index) => retryDelayMs(attempts, () => index / 200)!)
    assert.ok(Math.max(...delays) <= 30_000)
    assert.ok(new Set(delays).size > 150)
  }
})
