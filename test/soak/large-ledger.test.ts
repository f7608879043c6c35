import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../fakes/postgres.ts'
import { startGateway } from '../gateway/gateway-under-test.ts'
import { type LargeLedgerOptions, largeLedger } from './large-ledger.ts'

// A small form, without the times. `npm run soak` does it with ten million lines.

const SMALL: LargeLedgerOptions = {
  lines: 3_000,
  days: 100,
  jobs: 1,
  repeats: 0,
  start: async (env) => {
    const gateway = await startGateway({ dataDir: env.DATA_DIR, env })
    return { ...gateway, stop: gateway.close }
  },
}

test('SQLite: reports over 100 days are the sums of the lines', async () => {
  assert.deepEqual((await largeLedger(SMALL)).wrong, [])
})

test('PostgreSQL: reports over 100 days are the sums of the lines', async (t) => {
  const postgres = await startPostgres()
  if ('skip' in postgres) return t.skip(postgres.skip)
  t.after(postgres.stop)
  assert.deepEqual((await largeLedger({ ...SMALL, databaseUrl: postgres.url })).wrong, [])
})
