import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventLog } from '../../../test/fakes/event-log.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import type { Database } from '../../platform/store/database.ts'
import { hasUnrolled } from '../../platform/store/ledger/roll-up-batches.ts'
import { takeLease } from '../../platform/store/maintenance/lease.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import { RollUpRounds } from './roll-up-rounds.ts'

const rounds = (db: Database, log = eventLog()) => new RollUpRounds({ db, log, leaseHolder: 'test' })

await onBothStores('rounds of roll-ups', ({ one, other }) => {
  test('are the work of one process at a time, and of another one if that ends or dies', async () => {
    await insertUsage(one, [ledgerLine({ id: 'first' })])
    const working = new RollUpRounds({ db: other, log: eventLog(), leaseHolder: 'other' })
    await working.run()
    assert.equal(await hasUnrolled(one), false)
    await insertUsage(one, [ledgerLine({ id: 'second' })])
    await rounds(one).run()
    assert.equal(await hasUnrolled(one), true, 'the other one has the lease')
    await working.close()
    await rounds(one).run()
    assert.equal(await hasUnrolled(one), false)
    await insertUsage(one, [ledgerLine({ id: 'third' })])
    assert.ok(await takeLease(one, { name: 'roll-ups', leaseHolder: 'test', forMs: -1 }))
    await working.run()
    assert.equal(await hasUnrolled(one), true, 'it was closed')
  })

  test('take all slices that there are', async () => {
    for (let batch = 0; batch < 3; batch++)
      await insertUsage(
        one,
        Array.from({ length: 900 }, (_, index) => ledgerLine({ id: `${batch} ${index}` })),
      )
    await rounds(one).run()
    assert.equal(await hasUnrolled(one), false)
  })

  test('write nothing while there are no lines', async () => {
    const written: string[] = []
    const watched: Database = {
      ...one,
      transaction: (statements) => {
        written.push(...statements.map(({ sql }) => sql))
        return one.transaction(statements)
      },
    }
    await rounds(watched).run()
    assert.deepEqual(written, [])
    assert.equal((await one.query("SELECT name FROM leases WHERE name = 'roll-ups'")).length, 0)
  })

  test('say once that the store is away, and when it is back', async () => {
    const log = eventLog()
    let isAway = true
    const query: Database['query'] = (sql, values) =>
      isAway ? Promise.reject(new Error('away')) : one.query(sql, values)
    const failing = rounds({ ...one, query }, log)
    await failing.run()
    await failing.run()
    assert.equal(log.seen('cannot be rolled up').length, 1)
    isAway = false
    await insertUsage(one, [ledgerLine()])
    await failing.run()
    assert.deepEqual([log.seen('rolled up again').length, await hasUnrolled(one)], [1, false])
  })
})
