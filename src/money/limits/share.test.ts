import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample } from '../../../test/soak/sample.ts'
import { CAP, call, clockAt, ModelStore, newProcess, PROCESSES, Scheduler } from './fixtures/model-store.ts'
import { Share } from './share.ts'
import type { ShareSource } from './share-source.ts'

test('never spends more than the limit, in any order of events and with crashes', async () => {
  for (let seed = 1; seed <= sample(5, 100); seed++) {
    const scheduler = new Scheduler(seed)
    const store = new ModelStore(100_000 + seed * 1_000)
    const processes = Array.from({ length: PROCESSES }, (_, index) => newProcess(`p${index}`, store, scheduler))
    const calls = Array.from({ length: 300 }, async () => {
      for (let wait = Math.floor(scheduler.random() * 8); wait > 0; wait--) await scheduler.wait()
      const process = processes[Math.floor(scheduler.random() * PROCESSES)]!
      if (!process.isDead) await call(process, store, scheduler, 2_000)
      if (store.called.has(process.name) && !process.isDead) await process.share.answerCall()
      if (scheduler.random() < 0.01) process.isDead = true
      if (scheduler.random() < 0.02) await process.share.giveBack()
      assert.ok(store.spent + store.leased <= store.cap, `seed ${seed}`)
    })
    await scheduler.run(Promise.all(calls))
    assert.ok(store.spent <= store.cap, `seed ${seed}: ${store.spent}`)
  }
})

test('uses at least 99 % of the limit, with at most one question for 50 calls', async () => {
  const scheduler = new Scheduler(7)
  scheduler.stepMs = 0.2
  const store = new ModelStore()
  const processes = Array.from({ length: PROCESSES }, (_, index) => newProcess(`p${index}`, store, scheduler))
  let answered = 0
  const lanes = Array.from({ length: 60 }, async (_, lane) => {
    for (let count = 0; count < 200; count++)
      if (await call(processes[lane % PROCESSES]!, store, scheduler)) answered++
      else await scheduler.wait()
  })
  await scheduler.run(Promise.all(lanes))
  assert.ok(store.spent <= CAP && store.spent > 0.99 * CAP, String(store.spent))
  assert.ok(store.requests <= 12_000 / 50, `${store.requests} questions for ${answered} calls`)
})

test('calls that wait together ask once, and a refusal is remembered for a moment', async () => {
  let asked = 0
  let now = 0
  const source: ShareSource = {
    lifeMs: 1_000,
    ask: async ({ need }) => {
      asked++
      return { granted: need > 100 ? 0 : 100, spent: 0, leased: 0 }
    },
    giveBack: async () => undefined,
  }
  const share = new Share(
    source,
    clockAt(() => now),
  )
  await Promise.all([share.fill(10), share.fill(20), share.fill(30)])
  assert.deepEqual([asked, share.free], [1, 100])
  assert.ok((await share.fill(500)) && (await share.fill(500)) && (await share.fill(600)))
  assert.equal(asked, 2)
  now = 300
  await share.fill(500)
  assert.equal(asked, 3)
})

test('a smaller need is asked for only if there may be room for it, and refusals are remembered longer each time', async () => {
  let asked = 0
  let now = 0
  const source: ShareSource = {
    lifeMs: 1_000,
    ask: async () => {
      asked++
      return { granted: 0, spent: 60, leased: 0, room: 40 }
    },
    giveBack: async () => undefined,
  }
  const share = new Share(
    source,
    clockAt(() => now),
  )
  const questionsFor = async (need: number) => {
    const before = asked
    await share.fill(need)
    return asked - before
  }
  assert.deepEqual([await questionsFor(100), await questionsFor(41)], [1, 0])
  for (const [later, questions] of [
    [24, 0],
    [25, 1],
    [74, 0],
    [75, 1],
    [174, 0],
    [175, 1],
  ] as const) {
    now = later
    assert.equal(await questionsFor(41), questions, `after ${later} ms`)
  }
  for (let refusals = 0; refusals < 6; refusals++) {
    now += 1_000
    await questionsFor(41)
  }
  now += 999
  assert.equal(await questionsFor(41), 0)
  now += 1
  assert.equal(await questionsFor(41), 1)
  share.askAgain()
  assert.equal(await questionsFor(41), 1, 'a part of it was freed')
})

test('an amount that is too old is given back and not used', async () => {
  let now = 0
  const returned: number[] = []
  const source: ShareSource = {
    lifeMs: 1_000,
    ask: async () => ({ granted: 0, spent: 0, leased: 0 }),
    giveBack: async (given) => void returned.push(given.returned),
  }
  const share = new Share(
    source,
    clockAt(() => now),
  )
  share.free = 50
  share.renewed(true, 0)
  assert.ok(share.has(50))
  now = 1_000
  assert.ok(!share.has(50))
  assert.equal(share.free, 0)
  await share.giveBack()
  assert.deepEqual(returned, [50])
})

test('what is given back counts as left, and the store is asked only when it has it', async () => {
  let now = 0
  const store = { left: 100, returning: Promise.withResolvers<void>() }
  const source: ShareSource = {
    lifeMs: 1_000,
    ask: async ({ need }) => {
      store.left -= 10 * need
      return { granted: 10 * need, spent: 0, leased: 100 - store.left }
    },
    giveBack: async ({ returned }) => {
      await store.returning.promise
      store.left += returned
      return undefined
    },
  }
  const share = new Share(
    source,
    clockAt(() => now),
  )
  await share.fill(5)
  assert.deepEqual([share.free, share.sums], [50, { spent: 0, leased: 50 }])
  now = 1_000
  const filled = share.fill(2)
  assert.deepEqual([share.free, share.sums], [0, { spent: 0, leased: 0 }])
  store.returning.resolve()
  await filled
  assert.deepEqual([share.free, share.sums], [20, { spent: 0, leased: 20 }])
})

/** A rate, and what it tells about uses. */
function rateSource() {
  const told: [amount: number, slot?: number][] = []
  const source: ShareSource = {
    lifeMs: 1_000,
    ask: async () => ({ granted: 100, spent: 0, leased: 100 }),
    giveBack: async () => undefined,
    uses: {
      isEmpty: false,
      add: (amount) => told.push([amount]),
      correct: (less, slot) => void told.push([-less, slot]),
    },
  }
  return { source, told }
}

test('more use than was reserved is reported, and of a rate it counts from then on', async () => {
  const { source, told } = rateSource()
  const window = new Share(
    { ...source, uses: undefined },
    clockAt(() => 0),
  )
  const rate = new Share(
    source,
    clockAt(() => 0),
  )
  for (const share of [window, rate]) await share.fill(10)
  const slots = [window, rate].map((share) => share.take(10))
  assert.deepEqual([window.settle(10, 25, slots[0]), rate.settle(10, 25, slots[1])], [15, 15])
  assert.deepEqual([window.free, rate.free], [75, 75])
  assert.deepEqual(told, [[10], [15]])
})

test('what a call did not use is free again; of a rate it is taken off where it was counted, and not used again here', async () => {
  const { source, told } = rateSource()
  const window = new Share(
    { ...source, uses: undefined },
    clockAt(() => 0),
  )
  const rate = new Share(
    source,
    clockAt(() => 0),
  )
  for (const share of [window, rate]) {
    await share.fill(10)
    share.settle(10, 4, share.take(10))
  }
  assert.deepEqual([window.free, rate.free], [96, 90])
  assert.deepEqual(told, [[10], [-6, 1]])
})

test('a busy process holds enough for 50 seconds, and asks before it has nothing left', async () => {
  let now = 0
  let granted = 0
  const asked: number[] = []
  const source: ShareSource = {
    lifeMs: 50_000,
    ask: async ({ want }) => {
      asked.push(now)
      granted += want
      return { granted: want, spent: 0, leased: granted }
    },
    giveBack: async () => undefined,
  }
  const share = new Share(
    source,
    clockAt(() => now),
  )
  let waited = 0
  // 100 calls a second reserve 50 each and use 10.
  for (; now < 60_000; now += 10) {
    if (!share.has(50)) waited++
    await share.fill(50)
    share.take(50)
    share.settle(50, 10)
    for (let turn = 0; turn < 8; turn++) await undefined
    if (now > 10_000) assert.ok(share.free >= 49_000, `${share.free} at ${now}`)
  }
  assert.ok(waited <= 3, `${waited} calls waited for the store`)
  assert.ok(asked.length <= 12, `${asked.length} questions`)
  assert.ok(share.free <= 2 * 50 * 1_000, `${share.free} is more than it needs`)
})

test('giving back waits for what is on its way to the store', async () => {
  const { source } = rateSource()
  const telling = Promise.withResolvers<undefined>()
  const share = new Share(
    { ...source, giveBack: () => telling.promise },
    clockAt(() => 0),
  )
  share.settle(0, 25)
  const first = share.giveBack()
  let isOver = false
  const second = share.giveBack().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  assert.equal(isOver, false)
  telling.resolve(undefined)
  await Promise.all([first, second])
})

test('what was granted while a renewal was on its way stays, and what the store no longer has is not used', async () => {
  let now = 0
  const source: ShareSource = {
    lifeMs: 50_000,
    ask: async () => ({ granted: 100, spent: 0, leased: 100 }),
    giveBack: async () => undefined,
  }
  const share = new Share(
    source,
    clockAt(() => now),
  )
  now = 10
  await share.fill(50)
  share.renewed(false, 5)
  assert.equal(share.free, 100)
  share.renewed(false, 11)
  assert.equal(share.free, 0)
})
