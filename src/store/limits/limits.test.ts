import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { insertUsage } from '../usage.ts'
import type { Charge } from './charges.ts'
import { endLeases, giveBackLease, type LeaseAsk, releaseLost, renewLeases, takeLimitLease } from './leases.ts'
import { giveBackRate, takeRate } from './rates.ts'

const HOUR_MS = 3_600_000
const ASK = { bucket: '', start: 0, amount: 1_000, processCount: 1, forMs: 60_000, expires: false }

await onBothStores('limits', ({ one: db }) => {
  test('grants what is wanted, then half of what is left, then the exact need, then nothing', async () => {
    const ask = (need: number, want: number, more: Partial<LeaseAsk> = {}) =>
      takeLimitLease(db, { ...ASK, limit: 'sizes', processName: 'a', need, want, ...more })
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
      takeLimitLease(db, { ...ASK, limit: 'race', processName: `h${index % 3}`, processCount: 3, need: 60, want: 500 }),
    )
    const granted = (await Promise.all(asks)).reduce((sum, one) => sum + one.granted, 0)
    assert.ok(granted <= 1_000 && granted > 940, String(granted))
  })

  test('gives back, renews and ends leases; windows and buckets are apart', async () => {
    const ask = { ...ASK, limit: 'back', processName: 'p', need: 600, want: 600 }
    await takeLimitLease(db, ask)
    assert.equal((await takeLimitLease(db, { ...ask, bucket: 'other' })).granted, 600)
    assert.equal((await takeLimitLease(db, { ...ask, start: 5 })).granted, 600)
    await giveBackLease(db, ask, 200)
    assert.deepEqual(await takeLimitLease(db, { ...ask, processName: 'q' }), { granted: 600, spent: 0, leased: 1_000 })
    assert.deepEqual(
      (await renewLeases(db, 'q', 1_000)).map(({ limit }) => limit),
      ['back'],
    )
    await endLeases(db, 'q')
    assert.equal((await takeLimitLease(db, { ...ask, processName: 'r' })).granted, 600)
  })

  test('what a dead process held stays taken until it is released; its slots are free by themselves', async () => {
    const ask = { ...ASK, limit: 'lost', processName: 'dead', need: 900, want: 900, forMs: -1 }
    await takeLimitLease(db, ask)
    assert.equal((await takeLimitLease(db, { ...ask, processName: 'live' })).granted, 0)
    assert.equal(await releaseLost(db, 'lost'), 900)
    assert.equal((await takeLimitLease(db, { ...ask, processName: 'live', forMs: 60_000 })).granted, 900)
    assert.equal(await releaseLost(db, 'lost'), 0)
    const slot = { ...ask, limit: 'slots', need: 1_000, want: 1_000, expires: true }
    await takeLimitLease(db, slot)
    assert.equal((await takeLimitLease(db, { ...slot, processName: 'live' })).granted, 1_000)
  })

  test('lines settle windows and leases once, however often they are inserted', async () => {
    const ask = { ...ASK, limit: 'settle', processName: 'p', need: 600, want: 600 }
    await takeLimitLease(db, ask)
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
    const after = await takeLimitLease(db, { ...ask, processName: 'q', need: 900, want: 900 })
    assert.deepEqual(after, { granted: 0, spent: 160, leased: 440 })
    // More than the lease, of a process without a lease, and of a window that nobody has seen.
    await insertUsage(db, [charged('four', ['settle', '', 0, 700, 'p'], ['settle', '', 0, 1, 'gone'])])
    const over = await takeLimitLease(db, { ...ask, processName: 'q', need: 150, want: 900 })
    assert.deepEqual(over, { granted: 0, spent: 861, leased: 0 })
    const other = await takeLimitLease(db, { ...ask, bucket: 'key', start: 9, need: 1, want: 1 })
    assert.equal(other.spent, 5)
  })

  test('lines of two processes in one batch, and of two windows, settle the leases of each', async () => {
    const ask = { ...ASK, limit: 'mixed', need: 100, want: 100 }
    for (const processName of ['p', 'q']) await takeLimitLease(db, { ...ask, processName })
    await takeLimitLease(db, { ...ask, processName: 'p', start: 5 })
    const charges: Charge[] = [
      ['mixed', '', 0, 60, 'p'],
      ['mixed', '', 0, 7, 'q'],
      ['mixed', '', 5, 30, 'p'],
    ]
    await insertUsage(db, [ledgerLine({ id: 'mixed', at: 9, charges }), ledgerLine({ id: 'more', at: 9, charges })])
    // The lease of `p` is used up, and more; that of `q` has 86 left.
    const refused = { ...ask, processName: 'r', need: 1_001, want: 1_001 }
    assert.deepEqual(await takeLimitLease(db, refused), { granted: 0, spent: 134, leased: 86 })
    assert.deepEqual(await takeLimitLease(db, { ...refused, start: 5 }), { granted: 0, spent: 60, leased: 40 })
  })

  test('processes that lease, settle and renew at the same time do not stop each other', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => ({ ...ASK, limit: `busy${index}`, amount: 1_000_000 }))
    const rounds = Array.from({ length: 12 }, async (_, round) => {
      const processName = `h${round % 3}`
      for (const key of keys) await takeLimitLease(db, { ...key, processName, processCount: 3, need: 10, want: 100 })
      const charges = keys.map(({ limit }): Charge => [limit, '', 0, 10, processName]).sort(() => (round % 2 ? 1 : -1))
      await Promise.all([
        insertUsage(db, [ledgerLine({ id: `busy ${round}`, at: 8, charges })]),
        renewLeases(db, processName, 60_000),
        takeLimitLease(db, { ...keys[round % 6]!, processName, processCount: 3, need: 10, want: 100 }),
      ])
    })
    await Promise.all(rounds)
    const [{ spent }] = (await db.query('SELECT SUM(spent) AS spent FROM limit_windows WHERE limit_id LIKE $1', [
      'busy%',
    ])) as [{ spent: number }]
    assert.equal(Number(spent), 12 * 6 * 10)
  })

  test('a rate grants its amount at once and then as time passes; debts and returns move it', async () => {
    const ask = { limit: 'rpm', bucket: 'k', unitMs: HOUR_MS, windowMs: 10 * HOUR_MS, need: 1, want: 1, owed: 0 }
    assert.deepEqual(await takeRate(db, { ...ask, need: 4, want: 4 }), { granted: 4, left: 6, waitMs: 1 })
    assert.equal((await takeRate(db, { ...ask, need: 2, want: 99 })).granted, 6)
    const refused = await takeRate(db, ask)
    assert.ok(
      refused.granted === 0 && refused.waitMs > HOUR_MS / 2 && refused.waitMs <= HOUR_MS,
      String(refused.waitMs),
    )
    await giveBackRate(db, ask, 2 * HOUR_MS)
    assert.equal((await takeRate(db, ask)).granted, 1)
    assert.equal((await takeRate(db, { ...ask, owed: 3 })).granted, 0)
    assert.equal((await takeRate(db, { ...ask, bucket: 'other', need: 11, want: 11 })).granted, 0)
  })
})
