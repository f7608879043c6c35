import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOffMs, sleep } from './back-off.ts'

test('the wait doubles each time, up to five seconds', () => {
  const longest = [0, 1, 2, 3, 4, 5, 60].map((retries) => backOffMs(retries, () => 1))
  assert.deepEqual(longest, [300, 600, 1_200, 2_400, 4_800, 5_000, 5_000])
})

test('half of the wait is random', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((random) => backOffMs(0, () => random)),
    [150, 225, 300],
  )
  const drawn = new Set(Array.from({ length: 50 }, () => backOffMs(4)))
  assert.ok(drawn.size > 10)
  for (const ms of drawn) assert.ok(ms >= 2_400 && ms <= 4_800)
})

test('a wait ends when the signal is raised, with its reason, and leaves no timer', async () => {
  const leave = new AbortController()
  const before = timers()
  const waiting = sleep(60_000, leave.signal)
  leave.abort(new Error('left'))
  await assert.rejects(waiting, { message: 'left' })
  assert.equal(timers(), before)
})

test('a signal that was raised before ends it at once', async () => {
  await assert.rejects(sleep(60_000, AbortSignal.abort(new Error('gone'))), { message: 'gone' })
})

test('a wait without a signal ends by itself', async () => {
  assert.equal(await sleep(1, new AbortController().signal), undefined)
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
