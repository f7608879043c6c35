import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openHeartbeat } from './heartbeat.ts'

const EVERY_MS = 5_000
const LEASE_MS = 20_000

test('a lease is lost as soon as the store says so', async (t) => {
  const answers = [true, true, false]
  const { beat, lost } = start(t, async () => answers.shift()!)
  await beat(2)
  assert.equal(lost(), 0)
  await beat(1)
  assert.equal(lost(), 1)
})

test('a store that is away for less than a lease costs nothing', async (t) => {
  let away = true
  const { beat, lost } = start(t, async () => (away ? Promise.reject(new Error('away')) : true))
  await beat(4)
  away = false
  await beat(1)
  away = true
  await beat(4)
  assert.equal(lost(), 0)
})

test('a lease is lost when the store was away for longer than it lasts', async (t) => {
  const { beat, lost } = start(t, () => Promise.reject(new Error('away')))
  await beat(4)
  assert.equal(lost(), 0)
  await beat(1)
  assert.equal(lost(), 1)
})

test('a store that never answers is queried once, and the lease is lost all the same', async (t) => {
  let requested = 0
  const { beat, lost } = start(t, () => {
    requested++
    return new Promise(() => {})
  })
  await beat(5)
  assert.deepEqual([requested, lost()], [1, 1])
})

function start(t: TestContext, renew: () => Promise<boolean>) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let [now, losses] = [0, 0]
  const lost = () => void losses++
  const heartbeat = openHeartbeat({ everyMs: EVERY_MS, leaseMs: LEASE_MS, renew, lost, monotonic: () => now })
  t.after(heartbeat.stop)
  return { beat, lost: () => losses }

  async function beat(times: number) {
    for (let beats = 0; beats < times; beats++) {
      now += EVERY_MS
      t.mock.timers.tick(EVERY_MS)
      await new Promise(setImmediate)
    }
  }
}
