import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample } from '../../../test/soak/sample.ts'
import { ModelStore, newProcess, Scheduler } from './fixtures/model-store.ts'
import { Share } from './share.ts'
import type { Patience } from './share-source.ts'
import { takeAll } from './take-all.ts'

// What other processes hold and do not use is called back before a call is refused.

/** Two processes on a store of 1,000, of which the first holds everything. */
async function twoProcesses(waits: (() => void)[] = []) {
  const clock = { now: 0, monotonic: () => clock.now, pause: () => new Promise<void>((resolve) => waits.push(resolve)) }
  const store = new ModelStore(1_000)
  const shareOf = (name: string) =>
    new Share(
      {
        lifeMs: 50_000,
        ask: async (wanted) => {
          store.giveBack(name, wanted)
          return store.take(name, wanted)
        },
        giveBack: async (given) => void store.giveBack(name, given),
      },
      clock,
    )
  const [first, second] = [shareOf('first'), shareOf('second')]
  await first.fill(1_000)
  return { clock, store, first, second, patience: { until: 2_000 } satisfies Patience }
}

test('before a refusal, what other processes hold and do not use is called back', async () => {
  const waits: (() => void)[] = []
  const { clock, store, first, second, patience } = await twoProcesses(waits)
  const filled = second.fill(600, patience)
  while (waits.length === 0) await undefined
  assert.ok(store.called.has('first'))
  await first.answerCall()
  clock.now += 100
  waits.pop()!()
  assert.equal(await filled, undefined)
  assert.deepEqual([first.free, second.free], [0, 600])
})

test('a process does not give back what its calls use, and others do not wait for it once it has said so', async () => {
  const waits: (() => void)[] = []
  const { clock, store, first, second, patience } = await twoProcesses(waits)
  first.take(900)
  const filled = second.fill(600, patience)
  while (waits.length === 0) await undefined
  await first.answerCall()
  clock.now += 100
  waits.pop()!()
  assert.deepEqual(
    { ...(await filled), until: 0 },
    { need: 101, spent: 0, leased: 900, waitMs: undefined, isInUse: true, mayComeBack: false, until: 0 },
  )
  clock.now += 1_000
  assert.equal((await second.fill(600))?.mayComeBack, false)
  assert.deepEqual([waits.length, store.called.size], [0, 0])
  // Its call ends: what it did not use is free for others at once.
  first.settle(900, 100)
  assert.ok(first.isLean)
  await first.giveBack()
  clock.now += 1_000
  assert.equal(await second.fill(600), undefined)
})

test('a call waits only as long as it may, and calls that wait share the questions', async () => {
  const waits: (() => void)[] = []
  const { clock, store, second, patience } = await twoProcesses(waits)
  const before = store.requests
  const filled = Promise.all(Array.from({ length: 50 }, () => second.fill(600, patience)))
  let pauses = 0
  for (; clock.now <= 2_000; clock.now += 100) {
    for (let turn = 0; turn < 200; turn++) await undefined
    pauses += waits.length
    for (const resolve of waits.splice(0)) resolve()
  }
  assert.ok((await filled).every((refusal) => refusal?.mayComeBack))
  assert.ok(pauses <= 21 && store.requests - before <= 23, `${pauses} pauses, ${store.requests - before} questions`)
  const leaves = second.fill(600, { until: 9_000, signal: AbortSignal.abort(new Error('left')) })
  await assert.rejects(leaves, /left/)
})

test('of two processes that call back from each other at the same time, at least one gets what it needs, and then the other', async () => {
  for (let seed = 1; seed <= sample(10, 200); seed++) {
    const scheduler = new Scheduler(seed)
    scheduler.stepMs = 5
    const stores = [new ModelStore(1_000), new ModelStore(1_000)]
    /** Each process has a share of both limits. */
    const processes = [0, 1].map((index) => stores.map((store) => newProcess(`p${index}`, store, scheduler)))
    const callAt = async (index: number) => {
      const needs = processes[index]!.map(({ share }) => ({ share, missing: 700 }))
      await scheduler.wait()
      if (await takeAll(index === 0 ? needs : needs.toReversed(), { until: scheduler.now + 2_000 })) return 0
      await scheduler.wait()
      for (const [at, { share, name }] of processes[index]!.entries()) {
        share.settle(700, 10)
        if (share.isLean) void share.giveBack()
        stores[at]!.settle(name, 10)
      }
      return 1
    }
    let isOver = false
    const rounds = async () => {
      // Each holds all of one limit that the other one needs too.
      for (const index of [0, 1]) await processes[index]![index]!.share.fill(1_000)
      const [one, other] = await Promise.all([callAt(0), callAt(1)])
      assert.ok(one + other > 0, `seed ${seed}: both were refused`)
      for (const index of [0, 1, 0]) assert.equal(await callAt(index), 1, `seed ${seed}: process ${index} alone`)
      isOver = true
    }
    const looks = processes.map(async (shares) => {
      while (!isOver) {
        await scheduler.wait()
        for (const [at, { share, name }] of shares.entries())
          if (stores[at]!.called.has(name)) await share.answerCall()
          else if (share.isLean) await share.giveBack()
      }
    })
    const done = rounds().finally(() => {
      isOver = true
    })
    await scheduler.run(Promise.allSettled([done, ...looks]))
    await done
    for (const { requests } of stores) assert.ok(requests < 200, `seed ${seed}: ${requests} questions`)
  }
})
