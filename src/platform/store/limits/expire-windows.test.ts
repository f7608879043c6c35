import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { COUNTS_FOREVER, takeLimitLease } from './leases.ts'
import { takeRate } from './rates.ts'
import { expireRates, expireWindows } from './expire-windows.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const NOW = 1_000 * DAY_MS
const ASK = {
  amount: 1_000,
  processCount: 1,
  forMs: -1,
  countsMs: COUNTS_FOREVER,
  processName: 'p',
  need: 10,
  want: 10,
}

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

  test('uses of rates go when they count no longer, and so do leases of processes that died', async () => {
    await db.transaction([{ sql: 'DELETE FROM limit_uses' }, { sql: 'DELETE FROM limit_leases' }])
    const ask = { ...ASK, limit: 'rpm', unused: 0, countsMs: 60_000 }
    const { at } = await takeRate(db, { ...ask, bucket: 'dead', forMs: -90_000, uses: [] })
    await takeRate(db, { ...ask, bucket: 'died just now', uses: [{ slot: 1, used: 1, endsAt: at - 1 }] })
    await takeRate(db, { ...ask, bucket: 'living', forMs: 1_000, uses: [{ slot: 1, used: 1, endsAt: at + 60_000 }] })
    assert.equal(await expireRates(db, 100), 1)
    const bucketsOf = async (table: string) =>
      (await db.query<{ bucket: string }>(`SELECT bucket FROM ${table} ORDER BY bucket`)).map(({ bucket }) => bucket)
    assert.deepEqual(await bucketsOf('limit_uses'), ['living'])
    assert.deepEqual(await bucketsOf('limit_leases'), ['died just now', 'living'])
  })
})
