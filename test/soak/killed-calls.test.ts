import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../fakes/postgres.ts'
import { killedCalls, type KilledCallsOptions } from './killed-calls.ts'
import { sample } from './sample.ts'

const KILLS = { kills: sample(2, 20), lifeMs: 300 }

for (const hasBudget of [false, true]) {
  const title = `after kill -9, every request that a provider got has one line (budget: ${hasBudget})`

  test(`SQLite: ${title}`, () => check({ ...KILLS, hasBudget }))

  test(`PostgreSQL: ${title}`, async (t) => {
    const postgres = await startPostgres()
    if ('skip' in postgres) return t.skip(postgres.skip)
    t.after(postgres.stop)
    await check({ ...KILLS, hasBudget, databaseUrl: postgres.url })
  })
}

async function check(options: KilledCallsOptions): Promise<void> {
  const { received, interrupted, uncharged, ...faults } = await killedCalls(options)
  assert.ok(received >= 10 && interrupted >= 1, `${received} requests, ${interrupted} interrupted`)
  assert.deepEqual(faults, { missing: [], repeated: [], wrong: [], differing: 0 })
  // Each amount is rounded to a billionth of a dollar.
  assert.ok(Math.abs(uncharged) <= interrupted, `${uncharged} billionths of a dollar`)
}
