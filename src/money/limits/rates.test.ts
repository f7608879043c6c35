import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomNumbers } from '../../../test/fakes/random-numbers.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { sample } from '../../../test/soak/sample.ts'
import type { Window } from '../../platform/config/spend-limits/limit.ts'
import type { Database } from '../../platform/store/database.ts'
import { readSettings } from './limit-cache.ts'
import { limitHeaders } from './limit-headers.ts'
import { Shares } from './shares.ts'
import { takeAll } from './take-all.ts'
import { LENGTH_MS } from './windows.ts'

// Requests and tokens per second, minute and hour: in no window of that length is more used than the limit, in one process or in
// several, and a client that spreads its calls evenly gets nearly all of it.

/** The store answers after `latencyMs`. */
type Clock = { ms: number; latencyMs?: number }
type Admitted = { at: number; amount: number }

/** The store at a moment of the test's clock. */
function atClock(db: Database, clock: Clock): Database {
  const moved = (sql: string) => sql.replaceAll('steady_ms()', `CAST(${Math.floor(clock.ms)} AS BIGINT)`)
  return Object.assign(Object.create(db) as Database, {
    query: (sql: string, values?: readonly (string | number)[]) => db.query(moved(sql), values),
    transaction: (statements: Parameters<Database['transaction']>[0]) => {
      clock.ms += clock.latencyMs ?? 0
      return db.transaction(statements.map((statement) => ({ ...statement, sql: moved(statement.sql) })))
    },
  })
}

let made = 0
/** Some processes that share a limit. `pause` lets time pass, and the other processes look whether they were called back. */
function startProcesses(db: Database, { cap, window, count }: { cap: number; window: Window; count: number }) {
  const clock: Clock = { ms: 1_800_000_000_000 }
  const entry = { id: `rate-${made++}`, appliesTo: 'all', unit: 'tokens', limit: cap, window }
  const limit = readSettings(JSON.stringify({ kind: 'rate_limit', entry }))!
  const all: Shares[] = []
  const pause = async (ms: number) => {
    clock.ms += ms
    for (const shares of all) await shares.answerCalls()
  }
  const start = (index: number) => {
    // Every process counts from another moment.
    const monotonic = () => clock.ms - 1_700_000_000_000 - index * 12_345.6
    const { log, linesWaiting } = { log: { warn() {}, debug() {} }, linesWaiting: () => 0 }
    const processName = `${entry.id}-${made++}`
    const options = { db: atClock(db, clock), processName, processCount: () => count, now: () => clock.ms }
    all[index] = new Shares({ ...options, monotonic, pause, linesWaiting, log })
  }
  for (let index = 0; index < count; index++) start(index)
  /** Undefined if the call was refused. Otherwise it can be told what the call has used in the end. */
  const admit = async (index: number, missing: number, patienceMs = 0) => {
    const shares = all[index]!
    const held = shares.windowOf(limit, '', clock.ms)
    const need = { share: held.share, missing, slot: undefined as number | undefined }
    const until = clock.ms - 1_700_000_000_000 - index * 12_345.6 + patienceMs
    const refused = await takeAll([need], { until })
    if (refused) return { waitMs: refused.refusal.waitMs! }
    return { settle: (used: number) => shares.settled(held, held.share.settle(missing, used, need.slot)) }
  }
  const headersOf = (index: number) => {
    const list = limitHeaders([all[index]!.windowOf(limit, '', clock.ms)], 'openai', clock.ms)
    return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]!]] : [])))
  }
  return { clock, admit, start, pause, headersOf, shares: all }
}

/** The most that one window of this length has. */
function fullest(admitted: readonly Admitted[], windowMs: number): number {
  let [most, sum, first] = [0, 0, 0]
  for (const { at, amount } of admitted) {
    sum += amount
    while (admitted[first]!.at <= at - windowMs) sum -= admitted[first++]!.amount
    most = Math.max(most, sum)
  }
  return most
}

await onBothStores('rates', ({ one: db }) => {
  test('no window has more than the limit, whatever calls, processes and times there are', async () => {
    for (let seed = 1; seed <= sample(3, 60); seed++) {
      const random = randomNumbers(seed)
      const upTo = (most: number) => 1 + Math.floor(random() * most)
      const window = (['second', 'minute', 'hour'] as const)[seed % 3]!
      const windowMs = LENGTH_MS[window]!
      const cap = [1, 7, 60, 10_000][seed % 4]!
      const { clock, admit, start, shares } = startProcesses(db, { cap, window, count: upTo(3) })
      const admitted: Admitted[] = []
      const running: (() => void)[] = []
      for (let step = 0; step < 150; step++) {
        clock.ms += random() < 0.1 ? random() * windowMs : (random() * windowMs) / 40
        const index = Math.floor(random() * shares.length)
        const amount = upTo(random() < 0.2 ? cap : Math.ceil(cap / 10))
        const call = await admit(index, amount, random() < 0.3 ? 2_000 : 0)
        if (call.settle) {
          const one = { at: clock.ms, amount }
          admitted.push(one)
          const used = random() < 0.5 ? amount : Math.floor(random() * amount)
          running.push(() => {
            call.settle(used)
            one.amount = used
          })
        }
        if (random() < 0.6) running.splice(Math.floor(random() * running.length), 1)[0]?.()
        if (random() < 0.05) await shares[index]!.tend()
        if (random() < 0.05) await shares[index]!.answerCalls()
        // Killed, or stopped: another process takes its place.
        const end = random()
        if (end < 0.01) await shares[index]!.close()
        if (end < 0.02) start(index)
        assert.ok(
          fullest(admitted, windowMs) <= cap,
          `seed ${seed}, step ${step}: ${fullest(admitted, windowMs)} of ${cap}`,
        )
      }
      assert.ok(admitted.length > 10, `seed ${seed}: ${admitted.length} calls`)
    }
  })

  test('a caller who keeps to the limit exactly is refused for at most a sixtieth of its calls', async () => {
    for (const [window, cap, count] of [
      ['minute', 60, 1],
      ['minute', sample(120, 600), 1],
      ['second', 10, 1],
      ['hour', sample(360, 3_600), 1],
      ['minute', 60, 3],
    ] as const) {
      const { clock, admit } = startProcesses(db, { cap, window, count })
      const windowMs = LENGTH_MS[window]!
      const calls = Math.min(3 * cap, cap + sample(40, 7_000))
      const begin = clock.ms
      let refused = 0
      for (let call = 0; call < calls; call++) {
        clock.ms = Math.max(clock.ms, begin + (call * windowMs) / cap)
        const one = await admit(call % count, 1, 2_000)
        if (one.settle) one.settle(1)
        else refused++
      }
      assert.ok(refused <= Math.max(1, calls / 60), `${refused} of ${calls}: ${cap} per ${window}, ${count} processes`)
    }
  })

  test('the whole limit can be used at once, and then nothing until one window later, when headers say so', async () => {
    for (const count of [1, 3]) {
      const { clock, admit, pause, headersOf } = startProcesses(db, { cap: 60_000, window: 'minute', count })
      let used = 0
      for (let call = 0; call < 80; call++) {
        const one = await admit(call % count, 1_000, 2_000)
        if (one.settle) used += 1_000
      }
      assert.equal(used, 60_000)
      const refused = await admit(0, 1_000, 2_000)
      assert.ok(refused.waitMs! > 0 && refused.waitMs! <= 60_000, String(refused.waitMs))
      const headers = headersOf(0)
      assert.equal(headers['x-ratelimit-remaining-tokens'], '0')
      const reset = headers['x-ratelimit-reset-tokens']!
      assert.match(reset, /^(1m0s|\d+s)$/)
      assert.match(headers.ratelimit!, /;r=0;t=\d+$/)
      // What the caller was told is true: a moment before, it is refused; then it is admitted.
      await pause(refused.waitMs! - 60)
      assert.ok((await admit(0, 1_000)).waitMs)
      await pause(120)
      assert.ok((await admit(0, 1_000, 2_000)).settle)
      // One window after the last use, all of it is left.
      clock.ms += 61_000
      const later = headersOf(0)
      assert.deepEqual([later['x-ratelimit-remaining-tokens'], later['x-ratelimit-reset-tokens']], ['60000', '0ms'])
    }
  })

  test('no caller is told to wait longer than the window, although the store was slow when it granted', async () => {
    const { clock, admit } = startProcesses(db, { cap: 2, window: 'minute', count: 1 })
    clock.latencyMs = 300
    for (let call = 0; call < 2; call++) (await admit(0, 1, 2_000)).settle!(1)
    clock.latencyMs = 0
    assert.equal((await admit(0, 1)).waitMs, 60_000)
  })
})
