import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomNumbers } from '../../test/fakes/random-numbers.ts'
import { sample } from '../../test/soak/sample.ts'
import { takeAll } from './take-all.ts'
import { Share, type ShareSource } from './share.ts'

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

  take(processName: string, need: number, want: number) {
    this.asked++
    const room = this.cap - this.spent - this.leased
    const part = Math.floor(room / (2 * PROCESSES))
    const granted = room < need ? 0 : want <= part ? want : Math.max(part, need)
    if (granted > 0) this.add(processName, granted)
    return { granted, spent: this.spent, leased: this.leased, room: this.cap - this.spent - this.leased }
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
    ask: async ({ need, want }) => {
      await scheduler.wait()
      const answer = store.take(name, need, want)
      await scheduler.wait()
      return answer
    },
    giveBack: async (amount) => {
      await scheduler.wait()
      store.add(name, -amount)
    },
  }
  return { name, isDead: false, share: new Share(source, () => scheduler.now) }
}

/** One call: it reserves, runs, and leaves a ledger line that arrives later. Returns false if it was refused. */
async function call(process: Process, store: ModelStore, scheduler: Scheduler): Promise<boolean> {
  const { share, name } = process
  const worst = 200 + Math.floor(scheduler.random() * 2_600)
  if (await takeAll([{ share, missing: worst }])) return false
  if (process.isDead) return true
  await scheduler.wait()
  const used = Math.floor(worst * scheduler.random())
  if (process.isDead) return true
  share.settle(worst, used)
  await scheduler.wait()
  // The line of a dead process is in its journal, which another process reads.
  store.settle(name, used)
  return true
}

test('never spends more than the limit, in any order of events and with crashes', async () => {
  for (let seed = 1; seed <= sample(5, 400); seed++) {
    const scheduler = new Scheduler(seed)
    const store = new ModelStore(100_000 + seed * 1_000)
    const processes = Array.from({ length: PROCESSES }, (_, index) => newProcess(`p${index}`, store, scheduler))
    const calls = Array.from({ length: 300 }, async () => {
      for (let wait = Math.floor(scheduler.random() * 8); wait > 0; wait--) await scheduler.wait()
      const process = processes[Math.floor(scheduler.random() * PROCESSES)]!
      if (!process.isDead) await call(process, store, scheduler)
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
  const share = new Share(source, () => now)
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
  const share = new Share(source, () => now)
  const questionsFor = async (need: number) => {
    const before = asked
    await share.fill(need)
    return asked - before
  }
  assert.deepEqual([await questionsFor(100), await questionsFor(41)], [1, 0])
  now = 249
  assert.equal(await questionsFor(41), 0)
  now = 250
  assert.equal(await questionsFor(100), 1)
  now = 749
  assert.equal(await questionsFor(41), 0)
  now = 750
  assert.equal(await questionsFor(41), 1)
  for (const [later, questions] of [
    [1_749, 0],
    [1_750, 1],
    [2_749, 0],
    [2_750, 1],
  ] as const) {
    now = later
    assert.equal(await questionsFor(41), questions)
  }
  share.askAgain()
  assert.equal(await questionsFor(41), 1, 'somebody has freed a part of it')
})

test('an amount that is too old is given back and not used', () => {
  let now = 0
  const returned: number[] = []
  const source: ShareSource = {
    lifeMs: 1_000,
    ask: async () => ({ granted: 0, spent: 0, leased: 0 }),
    giveBack: async (amount) => void returned.push(amount),
  }
  const share = new Share(source, () => now)
  share.free = 50
  share.renewed(true)
  assert.ok(share.has(50))
  now = 1_000
  assert.ok(!share.has(50))
  assert.deepEqual([share.free, returned], [0, [50]])
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
    giveBack: async (amount) => {
      await store.returning.promise
      store.left += amount
    },
  }
  const share = new Share(source, () => now)
  await share.fill(5)
  assert.deepEqual([share.free, share.known], [50, { spent: 0, leased: 50 }])
  now = 1_000
  const filled = share.fill(2)
  assert.deepEqual([share.free, share.known], [0, { spent: 0, leased: 0 }])
  store.returning.resolve()
  await filled
  assert.deepEqual([share.free, share.known], [20, { spent: 0, leased: 20 }])
})

test('more use than was reserved is reported; it is a debt only where the store does not book it', () => {
  const source = { lifeMs: 1, ask: async () => ({ granted: 0, spent: 0, leased: 0 }), giveBack: async () => undefined }
  const window = new Share(source, () => 0)
  const rate = new Share({ ...source, book: async () => undefined }, () => 0)
  for (const share of [window, rate]) share.take(10)
  assert.deepEqual([window.settle(10, 25), rate.settle(10, 25)], [15, 15])
  assert.deepEqual([window.free, rate.free], [0, -25])
})

test('giving back waits for a debt that is on its way to the store', async () => {
  const booking = Promise.withResolvers<void>()
  const ask = async () => ({ granted: 0, spent: 0, leased: 0 })
  const source = { lifeMs: 1, ask, giveBack: async () => undefined, book: () => booking.promise }
  const share = new Share(source, () => 0)
  share.settle(0, 25)
  const first = share.giveBack()
  let isOver = false
  const second = share.giveBack().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  assert.equal(isOver, false)
  booking.resolve()
  await Promise.all([first, second])
})
