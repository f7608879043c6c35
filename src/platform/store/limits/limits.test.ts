import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import { insertUsage } from '../ledger/usage.ts'
import type { Charge } from './charges.ts'
import {
  COUNTS_FOREVER,
  endLeases,
  giveBackLease,
  type LeaseRequest,
  readCalledBack,
  releaseLost,
  renewLeases,
  takeLimitLease,
} from './leases.ts'
import { type RateAsk, takeRate } from './rates.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const ASK = { bucket: '', start: 0, amount: 1_000, processCount: 1, forMs: 60_000, countsMs: COUNTS_FOREVER }

await onBothStores('limits', ({ one: db }) => {
  const take = async (ask: LeaseRequest) => {
    const { callable, inUse, ...sums } = await takeLimitLease(db, ask)
    return sums
  }

  test('grants what is wanted, then half of what is left, then the exact need, then nothing', async () => {
    const ask = (need: number, want: number, more: Partial<LeaseRequest> = {}) =>
      take({ ...ASK, limit: 'sizes', processName: 'a', need, want, ...more })
    assert.deepEqual(await ask(10, 100), { granted: 100, spent: 0, leased: 100 })
    assert.deepEqual(await ask(10, 9_999), { granted: 450, spent: 0, leased: 550 })
    assert.deepEqual(await ask(400, 9_999, { processName: 'b', processCount: 3 }), {
      granted: 400,
      spent: 0,
      leased: 950,
    })
    assert.deepEqual(await ask(51, 51), { granted: 0, spent: 0, leased: 950 })
    assert.deepEqual(await ask(50, 50), { granted: 50, spent: 0, leased: 1_000 })
  })

  test('grants no more than the amount to processes that ask at the same time', async () => {
    const asks = Array.from({ length: 40 }, (_, index) =>
      take({ ...ASK, limit: 'race', processName: `h${index % 3}`, processCount: 3, need: 60, want: 500 }),
    )
    const granted = (await Promise.all(asks)).reduce((sum, one) => sum + one.granted, 0)
    assert.ok(granted <= 1_000 && granted > 940, String(granted))
  })

  test('gives back, renews and ends leases; windows and buckets are apart', async () => {
    const ask = { ...ASK, limit: 'back', processName: 'p', need: 600, want: 600 }
    await take(ask)
    assert.equal((await take({ ...ask, bucket: 'other' })).granted, 600)
    assert.equal((await take({ ...ask, start: 5 })).granted, 600)
    await giveBackLease(db, ask, 200)
    assert.deepEqual(await take({ ...ask, processName: 'q' }), { granted: 600, spent: 0, leased: 1_000 })
    assert.deepEqual(
      (await renewLeases(db, 'q')).map(({ limit }) => limit),
      ['back'],
    )
    await endLeases(db, 'q')
    assert.equal((await take({ ...ask, processName: 'r' })).granted, 600)
  })

  test('what a dead process held stays taken until it is released; its slots are free by themselves', async () => {
    const ask = { ...ASK, limit: 'lost', processName: 'dead', need: 900, want: 900, forMs: -1 }
    await take(ask)
    assert.equal((await take({ ...ask, processName: 'live' })).granted, 0)
    assert.equal(await releaseLost(db, 'lost'), 900)
    assert.equal((await take({ ...ask, processName: 'live', forMs: 60_000 })).granted, 900)
    assert.equal(await releaseLost(db, 'lost'), 0)
    const slot = { ...ask, limit: 'slots', need: 1_000, want: 1_000, countsMs: 0 }
    await take(slot)
    assert.equal((await take({ ...slot, processName: 'live' })).granted, 1_000)
  })

  test('lines settle windows and leases once, however often they are inserted', async () => {
    const ask = { ...ASK, limit: 'settle', processName: 'p', need: 600, want: 600 }
    await take(ask)
    const charged = (id: string, ...charges: Charge[]) => ledgerLine({ id, at: 7, charges })
    const rows = [
      charged('one', ['settle', '', 0, 100, 'p'], ['settle', 'key', 9, 5, 'p']),
      charged('two', ['settle', '', 0, 50, 'p']),
      ledgerLine({ id: 'three', at: 7 }),
    ]
    await insertUsage(db, rows)
    await insertUsage(db, rows)
    // A batch of which one line is there already, and one that has a line twice.
    const five = charged('five', ['settle', '', 0, 4, 'p'])
    await insertUsage(db, [rows[0]!, five])
    const six = charged('six', ['settle', '', 0, 6, 'p'])
    await insertUsage(db, [six, six])
    const after = await take({ ...ask, processName: 'q', need: 900, want: 900 })
    assert.deepEqual(after, { granted: 0, spent: 160, leased: 440 })
    // More than the lease, of a process without a lease, and of a window without a row.
    await insertUsage(db, [charged('four', ['settle', '', 0, 700, 'p'], ['settle', '', 0, 1, 'gone'])])
    const over = await take({ ...ask, processName: 'q', need: 150, want: 900 })
    assert.deepEqual(over, { granted: 0, spent: 861, leased: 0 })
    const other = await take({ ...ask, bucket: 'key', start: 9, need: 1, want: 1 })
    assert.equal(other.spent, 5)
  })

  test('lines of two processes in one batch, and of two windows, settle the leases of each', async () => {
    const ask = { ...ASK, limit: 'mixed', need: 100, want: 100 }
    for (const processName of ['p', 'q']) await take({ ...ask, processName })
    await take({ ...ask, processName: 'p', start: 5 })
    const charges: Charge[] = [
      ['mixed', '', 0, 60, 'p'],
      ['mixed', '', 0, 7, 'q'],
      ['mixed', '', 5, 30, 'p'],
    ]
    await insertUsage(db, [ledgerLine({ id: 'mixed', at: 9, charges }), ledgerLine({ id: 'more', at: 9, charges })])
    // The lease of `p` is used up, and more; that of `q` has 86 left.
    const refused = { ...ask, processName: 'r', need: 1_001, want: 1_001 }
    assert.deepEqual(await take(refused), { granted: 0, spent: 134, leased: 86 })
    assert.deepEqual(await take({ ...refused, start: 5 }), { granted: 0, spent: 60, leased: 40 })
  })

  test('processes that lease, settle and renew at the same time do not stop each other', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => ({ ...ASK, limit: `busy${index}`, amount: 1_000_000 }))
    const rounds = Array.from({ length: 12 }, async (_, round) => {
      const processName = `h${round % 3}`
      for (const key of keys) await take({ ...key, processName, processCount: 3, need: 10, want: 100 })
      const charges = keys.map(({ limit }): Charge => [limit, '', 0, 10, processName]).sort(() => (round % 2 ? 1 : -1))
      await Promise.all([
        insertUsage(db, [ledgerLine({ id: `busy ${round}`, at: 8, charges })]),
        renewLeases(db, processName),
        take({ ...keys[round % 6]!, processName, processCount: 3, need: 10, want: 100 }),
      ])
    })
    await Promise.all(rounds)
    const [{ spent }] = (await db.query('SELECT SUM(spent) AS spent FROM limit_windows WHERE limit_id LIKE $1', [
      'busy%',
    ])) as [{ spent: number }]
    assert.equal(Number(spent), 12 * 6 * 10)
  })

  /** What one process holds of a rate of 10 per hour. */
  const RATE = { limit: 'rpm', bucket: 'k', amount: 10, need: 1, want: 1, unused: 0, uses: [] }
  const rate = (ask: Partial<RateAsk>) =>
    takeRate(db, { ...RATE, processName: 'p', processCount: 1, forMs: 60_000, countsMs: HOUR_MS, ...ask })

  test('a rate grants its amount, and again what was used more than one window ago', async () => {
    const { at, ...first } = await rate({ need: 4, want: 4 })
    assert.deepEqual(first, { granted: 4, spent: 0, leased: 4, callable: 0, inUse: 0, uses: [] })
    const [old, recent] = [
      { slot: 1, used: 1, endsAt: at - 1 },
      { slot: 2, used: 3, endsAt: at + HOUR_MS },
    ]
    const told = await rate({ uses: [old, recent], need: 2, want: 99 })
    assert.deepEqual(
      { ...told, at: 0 },
      {
        granted: 3,
        spent: 3,
        leased: 3,
        callable: 0,
        inUse: 0,
        at: 0,
        uses: [{ used: 3, endsAt: recent.endsAt }],
      },
    )
    assert.equal((await rate({ unused: 3, need: 5, want: 5 })).granted, 0)
    assert.equal((await rate({ unused: 3, need: 4, want: 4 })).granted, 4)
    assert.equal((await rate({ bucket: 'other', need: 11, want: 11 })).granted, 0)
  })

  test('what was used beyond a grant counts, and what a call did not use counts no longer', async () => {
    const { at } = await rate({ limit: 'tokens' })
    const endsAt = at + HOUR_MS
    assert.equal((await rate({ limit: 'tokens', uses: [{ slot: 1, used: 25, endsAt }] })).granted, 0)
    const corrected = await rate({ limit: 'tokens', uses: [{ slot: 1, used: -20, endsAt: 0 }], need: 5, want: 5 })
    assert.deepEqual([corrected.spent, corrected.granted], [5, 5])
    // No call has used this slot, or it counts no longer: nothing can be taken off.
    const twice = await rate({ limit: 'tokens', uses: [{ slot: 9, used: -5, endsAt: 0 }], unused: 5 })
    assert.deepEqual([twice.spent, twice.granted], [5, 0])
  })

  test('what a dead process held of a rate counts for one window after its lease has ended', async () => {
    const ask = { limit: 'dead', need: 8, want: 8 }
    await rate({ ...ask, processName: 'dead', forMs: -1 })
    assert.equal((await rate(ask)).granted, 0)
    await rate({ ...ask, limit: 'gone', processName: 'dead', forMs: -2 * HOUR_MS })
    assert.equal((await rate({ ...ask, limit: 'gone' })).granted, 8)
  })

  test('a process that gets nothing calls back what others do not use; who has answered is not waited for', async () => {
    const ask = { ...ASK, limit: 'called', need: 900, want: 900 }
    const asked = async (more: Partial<LeaseRequest> = {}) => {
      const { granted, callable, inUse } = await takeLimitLease(db, { ...ask, processName: 'asks', ...more })
      return [granted, callable, inUse]
    }
    const holds = { ...ask, processName: 'holds', need: 600, want: 600 }
    await takeLimitLease(db, holds)
    const window = { limit: 'called', bucket: '', start: 0 }
    assert.deepEqual(await asked(), [0, 600, 0])
    assert.deepEqual(await readCalledBack(db, 'holds'), [])
    await asked({ callsBack: true })
    assert.deepEqual(await readCalledBack(db, 'holds'), [window])
    // A call uses 200 of it.
    await giveBackLease(db, { ...window, processName: 'holds', leanMs: 60_000 }, 400)
    assert.deepEqual(await readCalledBack(db, 'holds'), [])
    assert.deepEqual(await asked(), [0, 0, 200])
    assert.deepEqual(await asked({ need: 800, want: 800 }), [800, 0, 200])
    // What is granted while others wait is not waited for either.
    await giveBackLease(db, { ...window, processName: 'asks' }, 800)
    await takeLimitLease(db, { ...ask, processName: 'third', need: 100, want: 100, leanMs: 60_000 })
    assert.deepEqual(await asked(), [0, 0, 300])
  })

  test('a process that does not answer is waited for once, and one that has died not at all', async () => {
    const ask = { ...ASK, need: 600, want: 600 }
    for (const limit of ['silent', 'dies']) await takeLimitLease(db, { ...ask, limit, processName: 'holds' })
    await db.query("UPDATE limit_leases SET called_at = steady_ms() - 3000 WHERE limit_id = 'silent'")
    await db.query("UPDATE limit_leases SET expires_at = steady_ms() - 1 WHERE limit_id = 'dies'")
    for (const limit of ['silent', 'dies'])
      assert.deepEqual(await takeLimitLease(db, { ...ask, limit, processName: 'asks' }), {
        granted: 0,
        spent: 0,
        leased: 600,
        callable: 0,
        inUse: 0,
      })
  })

  test('a lease is renewed for as long as it was taken for', async () => {
    const ask = { ...ASK, limit: 'life', processName: 'p', need: 1, want: 1 }
    await takeLimitLease(db, { ...ask, forMs: 20_000 })
    await takeLimitLease(db, { ...ask, start: 5 })
    await renewLeases(db, 'p')
    const rows = await db.query<{ left: number }>(
      "SELECT expires_at - steady_ms() AS left FROM limit_leases WHERE limit_id = 'life' ORDER BY window_start",
    )
    assert.ok(Number(rows[0]!.left) <= 20_000 && Number(rows[1]!.left) > 20_000, JSON.stringify(rows))
  })
})
