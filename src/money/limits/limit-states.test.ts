import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeForAll } from '../../../test/fakes/stores.ts'
import type { Limit, Unit } from '../../platform/config/spend-limits/limit.ts'
import { COUNTS_FOREVER, takeLimitLease } from '../../platform/store/limits/leases.ts'
import { statesOf } from './limit-states.ts'

const db = await storeForAll()

test('what a dead process held of a budget is lost until it is released, and its slots are free again', async () => {
  const limits = [limitOf('usd'), limitOf('concurrent')]
  for (const { id, unit } of limits) {
    const window = { limit: id, bucket: '', start: 0, amount: 10, need: 4, want: 4, processCount: 1 }
    await takeLimitLease(db, {
      ...window,
      processName: 'dead',
      forMs: -1,
      countsMs: unit === 'concurrent' ? 0 : COUNTS_FOREVER,
    })
    await takeLimitLease(db, {
      ...window,
      need: 1,
      want: 1,
      processName: 'living',
      forMs: 60_000,
      countsMs: unit === 'concurrent' ? 0 : COUNTS_FOREVER,
    })
  }
  const states = await statesOf(db, limits, Date.now())
  assert.deepEqual(
    limits.map(({ id }) => states.get(id)!.buckets),
    [
      [{ bucket: '', spent: 0, reserved: 5, idle: 1, lost: 4 }],
      [{ bucket: '', spent: 0, reserved: 1, idle: 1, lost: 0 }],
    ],
  )
})

function limitOf(unit: Unit): Limit {
  return {
    id: `held-${unit}`,
    kind: 'budget',
    ownedBy: 'api',
    appliesTo: { holder: 'all', id: null },
    per: null,
    name: null,
    unit,
    amount: 10,
    window: 'total',
    idleMs: null,
    maxSessions: null,
    timezone: 'UTC',
    mode: 'enforce',
    onExceeded: 'refuse',
    models: null,
    providers: null,
    endpoints: null,
    tags: null,
    assume: null,
    increase: null,
    alerts: null,
  }
}
