import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../fakes/postgres.ts'
import { type KillOptions, killedLedger } from './killed-ledger.ts'

// A sample. `npm run soak` runs all of it.

const KILLS = { kills: 1, lifeMs: 400, clients: 24 }

test('SQLite: after kill -9, every answer whose end was seen has one line in the ledger', () => check(KILLS))

test('PostgreSQL: after kill -9, every answer whose end was seen has one line in the ledger', async (t) => {
  const postgres = await startPostgres()
  if ('skip' in postgres) return t.skip(postgres.skip)
  t.after(postgres.stop)
  await check({ ...KILLS, databaseUrl: postgres.url })
})

async function check(options: KillOptions): Promise<void> {
  const { answers, jobs, missing, repeated } = await killedLedger(options)
  assert.ok(answers >= 50 && jobs >= 1, `${answers} answers, ${jobs} jobs`)
  assert.deepEqual({ missing, repeated }, { missing: [], repeated: [] })
}
