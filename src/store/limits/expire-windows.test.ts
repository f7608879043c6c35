import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { takeLimitLease } from './leases.ts'
import { takeRate } from './rates.ts'
import { expireRates, expireWindows } from './expire-windows.ts'

const DAY_MS = 86_400_000
const NOW = 1_000 * DAY_MS
const ASK = { amount: 1_000, processCount: 1, forMs: -1, expires: false, processName: 'p', need: 10, want: 10 }
const RATE = { unitMs: 1, windowMs: 60_000, need: 1, want: 1, owed: 0 }

await onBothStores('old windows of limits', ({ one: db }) => {
  test('go in batches with what dead processes held of them; open windows, totals and slots in use stay', async () => {
    await db.transaction([{ sql: 'DELETE FROM limit_windows' }, { sql: 'DELETE FROM limit_leases' }])
    const starts = [500, 967, 968, 999].map((day) => day * DAY_MS)
    for (const start of [0, ...starts]) await takeLimitLease(db, { ...ASK, limit: 'money', bucket: '', start })
    await db.query("UPDATE limit_windows SET spent = 5 WHERE limit_id = 'money'")
    // Of slots, only a lease says that they are in use.
    await takeLimitLease(db, { ...ASK, limit: 'slots', bucket: 'busy', start: 0 })
    await takeLimitLease(db, { ...ASK, limit: 'slots', bucket: 'idle', start: 0 })
    await db.query("DELETE FROM limit_leases WHERE bucket = 'idle'")
    assert.equal(await expireWindows(db, { before: NOW, limit: 2 }), 2)
    assert.equal(await expireWindows(db, { before: NOW, limit: 2 }), 1)
    const left = await db.query('SELECT limit_id, bucket, window_start FROM limit_windows ORDER BY 1, 2, 3')
    assert.deepEqual(
      left.map((row) => Object.values(row as object).join(' ')),
      [0, 968 * DAY_MS, 999 * DAY_MS].map((start) => `money  ${start}`).concat('slots busy 0'),
    )
    assert.equal((await db.query('SELECT 1 FROM limit_leases')).length, 4)
  })

  test('rates go when everything has flowed off for a day', async () => {
    await db.query('DELETE FROM limit_rates')
    for (const bucket of ['idle', 'recent', 'flowing']) await takeRate(db, { ...RATE, limit: 'rpm', bucket })
    await db.query(`UPDATE limit_rates SET next_at = next_at - ${2 * DAY_MS} WHERE bucket = 'idle'`)
    await db.query(`UPDATE limit_rates SET next_at = next_at + 50000 WHERE bucket = 'flowing'`)
    assert.equal(await expireRates(db, 100), 1)
    const left = await db.query<{ bucket: string }>('SELECT bucket FROM limit_rates ORDER BY bucket')
    assert.deepEqual(
      left.map(({ bucket }) => bucket),
      ['flowing', 'recent'],
    )
  })
})
