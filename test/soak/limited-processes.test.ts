import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../fakes/postgres.ts'
import { type LimitedLoad, limitedProcesses } from './limited-processes.ts'
import { sample } from './sample.ts'

// A sample under `npm run test:processes`; `npm run soak` makes all 12,000 calls.

const CALLS = sample(800, 12_000)
const LOAD = { calls: CALLS, capUsd: sample(0.3, 4) }
/**
 * Processes that have just started do not know yet how much they need, and ask for little. Near the end, they call back from each
 * other what they do not use, and calls wait for that: how often they ask then depends on the time that it takes.
 */
const OTHER_QUESTIONS = 300
/** Each process may be left with less than one call costs at most, which is 1 % of the small budget of the sample. */
const UNUSED = sample(0.03, 0.01)

test('SQLite: three API processes spend no more than the budget, and nearly all of it', () =>
  check({ ...LOAD, gateways: 1, workers: 3 }))

test('PostgreSQL: three gateways spend no more than the budget, and nearly all of it', async (t) => {
  const postgres = await startPostgres()
  if ('skip' in postgres) return t.skip(postgres.skip)
  t.after(postgres.stop)
  await check({ ...LOAD, gateways: 3, workers: 1, databaseUrl: postgres.url })
})

async function check(load: LimitedLoad): Promise<void> {
  const report = await limitedProcesses(load)
  const { billed, spent, cap, refused, others, questions, leasesLeft, differing } = report
  const shown = JSON.stringify(report)
  // A store that does not answer in time on a busy machine makes calls wait; they spend nothing.
  assert.ok(others.length <= load.calls / 100 && others.every((status) => status === 503), shown)
  assert.ok(refused > 0 && billed <= cap, shown)
  assert.equal(spent, billed, shown)
  assert.ok(spent >= (1 - UNUSED) * cap, shown)
  assert.ok(questions <= load.calls / 50 + OTHER_QUESTIONS, shown)
  assert.deepEqual({ leasesLeft, differing }, { leasesLeft: 0, differing: 0 }, shown)
  if (process.env.GATEHOUSE_SOAK) console.log(shown)
}
