import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../src/platform/store/database.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { answer } from '../../fakes/behaviours.ts'
import { startPostgres } from '../../fakes/postgres.ts'
import { sample } from '../../soak/sample.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { closer } from '../../fakes/stores.ts'
import { ASK } from '../../gateway/chat-client.ts'
import { startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

// The wall clock of the machine jumps under two processes that share a store.

const PRELOAD = join(import.meta.dirname, '..', '..', 'fakes', 'shifted-clock.js')
const SLOW_JOB = { model: 'text/sentiment_analysis/openai/gpt-4o-mini', input: { text: 'Lovely.' } }
const QUICK_JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const GOOD = JSON.stringify({ general_sentiment: 'Positive', general_sentiment_rate: 1, items: [] })

describe('jumps of an hour fail no job, run none twice, open no circuit and measure no time', {
  concurrency: true,
}, () => {
  test('on SQLite', (t) => jumpAround(t, {}))

  test('on PostgreSQL', {
    skip: sample(1, 0) === 1 && 'in npm run soak: there the database server has the clock',
  }, async (t) => {
    const postgres = await startPostgres()
    if ('skip' in postgres) return t.skip(postgres.skip)
    t.after(postgres.stop)
    await jumpAround(t, { DATABASE_URL: postgres.url })
  })
})

async function jumpAround(t: TestContext, settings: Record<string, string>) {
  const { provider, start, setClock, db } = await setUp(t, settings)
  const { promise: go, resolve: release } = Promise.withResolvers<void>()
  provider.always(async (seen, response) => {
    await go
    return answer({ content: GOOD })(seen, response)
  })
  const one = await start()
  const slow = (await taskClient(one.url).submit(SLOW_JOB)).body.public_id
  const chat = ask(one.url)
  await provider.request(1)

  setClock(HOUR_MS)
  const other = await start()
  for (const ahead of [HOUR_MS, -HOUR_MS]) {
    setClock(ahead)
    for (const { url } of [one, other]) {
      const { public_id } = (await taskClient(url).submit(QUICK_JOB)).body
      assert.equal((await taskClient(url).ended(public_id)).status, 'success')
    }
    assert.deepEqual(await stateOf(db, slow), { state: 'running', attempt: 1, executions: 1 })
    await nextLease(db, slow)
  }

  release()
  assert.equal(await chat, 200)
  assert.equal((await taskClient(one.url).ended(slow)).status, 'success')
  assert.deepEqual(await stateOf(db, slow), { state: 'success', attempt: 1, executions: 1 })
  assert.equal(provider.requests.length, 2, 'the job and the chat were sent once each')
  for (const { adminUrl } of [one, other])
    assert.match(await (await fetch(`${adminUrl}/metrics`)).text(), /^gatehouse_circuits_open\{process="[\w.-]+"\} 0$/m)
  for (const process of [one, other]) await process.stop()
  await checkTimes(db)
}

/** Nothing took less than no time or more than this test, and no end is before its beginning. */
async function checkTimes(db: Database): Promise<void> {
  const lines = await db.query<{ id: string; ms: number; at: number }>('SELECT id, duration_ms AS ms, at FROM usage')
  assert.equal(new Set(lines.map(({ id }) => id)).size, 6)
  assert.equal(lines.length, 6)
  for (const { ms } of lines) assert.ok(ms >= 0 && ms < HOUR_MS / 2, String(ms))
  const atEnds = lines.map(({ at }) => Math.round((at - Date.now()) / HOUR_MS))
  assert.ok(atEnds.includes(1) && atEnds.includes(-1), `the clock of the processes did jump: ${atEnds}`)
  const wrong = await db.query('SELECT id FROM jobs WHERE started_at < created_at OR finished_at < started_at')
  assert.deepEqual(wrong, [])
}

async function stateOf(db: Database, id: string) {
  const [row] = await db.query<object>('SELECT state, attempt, executions FROM jobs WHERE id = $1', [id])
  return { ...row }
}

/** Waits until the worker has renewed the lease of the job, which it does every five seconds. */
async function nextLease(db: Database, id: string): Promise<void> {
  const read = () => db.query<{ until: number }>('SELECT lease_until AS until FROM jobs WHERE id = $1', [id])
  const known = (await read())[0]!.until
  for (;;) {
    if ((await read())[0]!.until !== known) return
    await sleep(50)
  }
}

async function ask(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  return (await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body: JSON.stringify(ASK) })).status
}

async function setUp(t: TestContext, settings: Record<string, string>) {
  const closing = closer(t)
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const provider = await startFakeProvider()
  closing.defer(provider.close)
  const file = join(folder.path, 'shift')
  const setClock = (ms: number) => writeFileSync(file, String(ms))
  setClock(0)
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const clock = { CLOCK_SHIFT_FILE: file, NODE_OPTIONS: `--import ${PRELOAD}` }
  const env = { DATA_DIR: folder.data, OPENAI_BASE_URL: provider.url, ...keys, ...clock, ...settings }
  const start = async () => {
    const gateway = await startProcess(env)
    closing.defer(() => void gateway.child.kill('SIGKILL'))
    return gateway
  }
  const db = await openDatabase({ dataDir: folder.data, databaseUrl: settings.DATABASE_URL })
  closing.defer(db.close)
  return { provider, start, setClock, db }
}
