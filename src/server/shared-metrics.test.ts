import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedMetrics } from './shared-metrics.ts'
import { type Database, StoreUnavailable } from '../platform/store/database.ts'

test('a store that is away is said to be, and nothing of it is repeated', async () => {
  let isAway = false
  let elapsed = 0
  const report = async () => {
    if (isAway) throw new StoreUnavailable('away')
    return ['queued', 'running', 'deliveries'].map((name) => ({ name, many: 7, oldestMs: -5 }))
  }
  const db = { report } as unknown as Database
  const spendLimits = { all: [] } as never
  const read = sharedMetrics({ db, spendLimits, now: () => 0, monotonic: () => elapsed })
  const there = await read()
  assert.match(there, /^gatehouse_store_reachable 1$/m)
  assert.match(there, /^gatehouse_jobs\{state="queued"\} 7$/m)
  assert.match(there, /^gatehouse_deliveries_oldest_age_seconds 0$/m)
  isAway = true
  elapsed = 4_999
  assert.equal(await read(), there)
  elapsed = 5_000
  const samples = (await read()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(samples, ['gatehouse_store_reachable 0'])
})
