import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomNumbers } from '../../test/fakes/random-numbers.ts'
import { sample } from '../../test/soak/sample.ts'
import { takeAll } from './take-all.ts'
import { type Given, type Patience, Share, type ShareSource, type Wanted } from './share.ts'

const CAP = 2_000_000
const PROCESSES = 3

/** The rules of the store's SQL, in memory. */
class ModelStore {
  spent = 0
  asked = 0
  readonly leases = new Map<string, number>()
  readonly cap: number

  constructor(cap = CAP) {
    this.cap = cap
  }

  get leased(): number {
    return [...this.leases.values()].reduce((sum, one) => sum + one, 0)
  }

  /** Who was asked to give back and has not answered, and who keeps nothing. */
  readonly called = new Set<string>()
  readonly lean = new Set<string>()

  take(processName: string, { need, want, callsBack }: Pick<Wanted, 'need' | 'want' | 'callsBack'>) {
    this.asked++
    if (callsBack) for (const other of this.#callable(processName)) this.called.add(other)
    const room = this.cap - this.spent - this.leased
    const part = Math.floor(room / (2 * PROCESSES))
    const granted = room < need ? 0 : want <= part ? want : Math.max(part, need)
    if (granted > 0) this.add(processName, granted)
    const left = this.cap - this.spent - this.leased
    const callable = this.#callable(processName).reduce((sum, other) => sum + this.leases.get(other)!, 0)
    const mayComeBack = callable > 0 && left + callable >= need
    const inUse = this.leased - callable - (this.leases.get(processName) ?? 0)
    const isInUse = inUse > 0 && left + inUse >= need
    return { granted, spent: this.spent, leased: this.leased, room: left, mayComeBack, isInUse }
  }

  #callable(processName: string): string[] {
    return [...this.leases.keys()].filter(
      (other) => other !== processName && !this.lean.has(other) && this.leases.get(other)! > 0,
    )
  }

  giveBack(processName: string, { returned, leanMs }: Given): void {
    this.add(processName, -returned)
    if (leanMs > 0) this.called.delete(processName)
    if (leanMs > 0) this.lean.add(processName)
    else this.lean.delete(processName)
  }

  settle(processName: string, used: number): void {
    this.spent += used
    this.add(processName, -used)
  }

  add(processName: string, amount: number): void {
    this.leases.set(processName, Math.max(0, (this.leases.get(processName) ?? 0) + amount))
  }
}

/** Resolves waits in random order, so that every run is another interleaving that can be repeated. */
class Scheduler {
  readonly random: () => number
  #waits: (() => void)[] = []
  now = 0
  /** How much time passes at most between two events. */
  stepMs = 30

  constructor(seed: number) {
    this.random = randomNumbers(seed)
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waits.push(resolve))
  }

  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => (isDone = true))
    while (!isDone) {
      for (let turn = 0; turn < 8; turn++) await undefined
      this.now += this.random() * this.stepMs
      const [next] = this.#waits.splice(Math.floor(this.random() * this.#waits.length), 1)
      next?.()
    }
  }
}

type Process = { name: string; share: Share; isDead: boolean }

function newProcess(name: string, store: ModelStore, scheduler: Scheduler): Process {
  const source: ShareSource = {
    lifeMs: 50_000,
    ask: async (wanted) => {
      await scheduler.wait()
      store.giveBack(name, wanted)
      const answer = store.take(name, wanted)
      await scheduler.wait()
      return answer
    },
    giveBack: async (given) => {
      await scheduler.wait()
      store.giveBack(name, given)
      return undefined
    },
  }
  const clock = { monotonic: () => scheduler.now, pause: () => scheduler.wait() }
  return { name, isDead: false, share: new Share(source, clock) }
}

/** One call: it reserves, runs, and leaves a ledger line that arrives later. Returns false if it was refused. */
async function call(process: Process, store: ModelStore, scheduler: Scheduler, waitMs = 0): Promise<boolean> {
  const { share, name } = process
  const worst = 200 + Math.floor(scheduler.random() * 2_600)
  if (await takeAll([{ share, missing: worst }], { until: scheduler.now + waitMs })) return false
  if (process.isDead) return true
  await scheduler.wait()
  const used = Math.floor(worst * scheduler.random())
  if (process.isDead) return true
  share.settle(worst, used)
  if (share.isLean) void share.giveBack()
  await scheduler.wait()
  // The line of a dead process is in its journal, which another process reads.
  store.settle(name, used)
  return true
}

function clockAt(monotonic: () => number) {
  return { monotonic, pause: async () => undefined }
}

test('never spends more than the limit, in any order of events and with crashes', async () => {
  for (let seed = 1; seed <= sample(5, 400); seed++) {
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
  assert.ok(store.asked <= 12_000 / 50, `${store.asked} questions for ${answered} calls`)
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
  assert.equal(await questionsFor(41), 1, 'somebody has freed a part of it')
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
  assert.deepEqual([share.free, share.known], [50, { spent: 0, leased: 50 }])
  now = 1_000
  const filled = share.fill(2)
  assert.deepEqual([share.free, share.known], [0, { spent: 0, leased: 0 }])
  store.returning.resolve()
  await filled
  assert.deepEqual([share.free, share.known], [20, { spent: 0, leased: 20 }])
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

test('what calls use is not given back, and whoever has said so is not waited for', async () => {
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
  const before = store.asked
  const filled = Promise.all(Array.from({ length: 50 }, () => second.fill(600, patience)))
  let pauses = 0
  for (; clock.now <= 2_000; clock.now += 100) {
    for (let turn = 0; turn < 200; turn++) await undefined
    pauses += waits.length
    for (const resolve of waits.splice(0)) resolve()
  }
  assert.ok((await filled).every((refusal) => refusal?.mayComeBack))
  assert.ok(pauses <= 21 && store.asked - before <= 23, `${pauses} pauses, ${store.asked - before} questions`)
  const leaves = second.fill(600, { until: 9_000, signal: AbortSignal.abort(new Error('left')) })
  await assert.rejects(leaves, /left/)
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
  const share = new Share(source, clockAt(() => now))
  now = 10
  await share.fill(50)
  share.renewed(false, 5)
  assert.equal(share.free, 100)
  share.renewed(false, 11)
  assert.equal(share.free, 0)
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
    for (const { asked } of stores) assert.ok(asked < 200, `seed ${seed}: ${asked} questions`)
  }
})
