import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { answer, silence } from '../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { closer } from '../fakes/stores.ts'
import { adminClient } from './admin-client.ts'
import { startProcess, temporaryFolder } from './gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from './gateway-under-test.ts'
import { taskClient } from './task-client.ts'

const SANDBOX_JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const SLOW_JOB = { model: 'text/sentiment_analysis/openai/gpt-4o-mini', input: { text: 'Lovely.' } }
const GOOD = JSON.stringify({ general_sentiment: 'Positive', general_sentiment_rate: 1, items: [] })
const JOBS = 20

test('a process is killed: what it had acknowledged is done by the next, and counted once', async (t) => {
  const { env, provider, database } = await setUp(t)
  provider.always(silence())
  const first = await startProcess(env)
  const client = taskClient(first.url)
  const running = await client.submit(SLOW_JOB)
  await provider.request(0)
  const replies = await Promise.all(Array.from({ length: JOBS }, () => client.submit(SANDBOX_JOB)))
  first.child.kill('SIGKILL')
  await first.ended
  assert.ok(replies.every(({ status }) => status === 202))
  await database(endLeases)
  provider.always(answer({ content: GOOD }))
  const second = await startProcess(env)
  const after = taskClient(second.url)
  for (const { body } of replies) assert.equal((await after.ended(body.public_id)).status, 'success')
  const { public_id } = running.body
  const job = await after.ended(public_id)
  assert.deepEqual([job.status, job.cost, provider.requests.length], ['success', 0.00000855, 2])
  assert.equal((await adminJob(second.adminUrl, public_id)).executions, 2)
  assert.deepEqual(await second.stop(), { code: 0, signal: null })
  assert.deepEqual(await database((db) => ledgerOf(db, public_id)), [{ status: 200, cost: 0.00000855 }])
})

test('a process that is told to stop lets its jobs end', async (t) => {
  const { env, provider, database } = await setUp(t)
  const { promise: go, resolve: release } = Promise.withResolvers<void>()
  provider.always(async (seen, response) => {
    await go
    return answer({ content: GOOD })(seen, response)
  })
  const only = await startProcess(env)
  const { public_id } = (await taskClient(only.url).submit(SLOW_JOB)).body
  await provider.request(0)
  const ended = only.stop()
  release()
  assert.deepEqual(await ended, { code: 0, signal: null })
  const states = await database((db) => db.query('SELECT state, executions FROM jobs WHERE id = $1', [public_id]))
  assert.deepEqual({ ...states[0]! }, { state: 'success', executions: 1 })
})

test('a job that does not end in time is given back, and the next process does it as if for the first time', async (t) => {
  const { env, provider, database } = await setUp(t)
  provider.always(silence())
  const first = await startGateway({ env, dataDir: env.DATA_DIR, overrides: { jobGraceMs: 10 } })
  const { public_id } = (await taskClient(first.url).submit(SLOW_JOB)).body
  const { closed } = await provider.request(0)
  await first.close()
  assert.equal(await closed, true, 'the provider is not kept at work for nobody')
  provider.always(answer({ content: GOOD }))
  const second = await startGateway({ env, dataDir: env.DATA_DIR })
  const job = await taskClient(second.url).ended(public_id)
  assert.equal(job.status, 'success', job.error?.message)
  assert.equal((await adminJob(second.adminUrl, public_id)).executions, 1)
  await second.close()
  assert.deepEqual(await database((db) => ledgerOf(db, public_id)), [{ status: 200, cost: 0.00000855 }])
})

test('a job whose file was deleted, or whose key was revoked, meanwhile ends all the same', async (t) => {
  const { env, provider } = await setUp(t)
  const gateway = await startGateway({ env, dataDir: env.DATA_DIR, overrides: { role: 'api' } })
  const admin = adminClient(gateway.adminUrl)
  const { key, id } = await admin.issue({ owner: 'default' })
  const client = taskClient(gateway.url, key)
  const { file_id } = await client.store('x')
  const withFile = await client.submit({ model: 'ocr/ocr_async/sandbox', input: { file: file_id } })
  const plain = await client.submit(SANDBOX_JOB)
  await client.delete('/v3/upload')
  await admin.delete(`/admin/keys/${id}`)
  assert.equal((await taskClient(gateway.url).get(`/v3/universal-ai/async/${plain.body.public_id}`)).status, 200)
  await gateway.close()
  const next = await startGateway({ env, dataDir: env.DATA_DIR })
  const after = taskClient(next.url)
  assert.equal((await after.ended(plain.body.public_id)).status, 'success')
  assert.deepEqual((await after.ended(withFile.body.public_id)).error, { message: 'There is no such file.' })
  await next.close()
  assert.equal(provider.requests.length, 0)
})

type SetUp = {
  env: Record<string, string> & { DATA_DIR: string }
  provider: FakeProvider
  database<Found>(look: (db: Database) => Promise<Found>): Promise<Found>
}

async function setUp(t: TestContext): Promise<SetUp> {
  const stack = closer(t)
  const folder = await temporaryFolder()
  stack.defer(folder.remove)
  const provider = await startFakeProvider()
  stack.defer(provider.close)
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const env = { DATA_DIR: folder.path, OPENAI_BASE_URL: provider.url, ...keys }
  return { env, provider, database }

  async function database<Found>(look: (db: Database) => Promise<Found>): Promise<Found> {
    const db = await openDatabase({ dataDir: folder.path })
    return look(db).finally(db.close)
  }
}

/** As if the time of a lease had passed since its holder died. */
async function endLeases(db: Database): Promise<void> {
  await db.query("UPDATE jobs SET lease_until = 1 WHERE state = 'running'")
}

async function ledgerOf(db: Database, id: string): Promise<object[]> {
  return (await db.query<object>('SELECT status, cost FROM usage WHERE id = $1', [id])).map((row) => ({ ...row }))
}

async function adminJob(adminUrl: string, id: string): Promise<Record<string, unknown>> {
  const { body } = await adminClient(adminUrl).get<{ items: Record<string, unknown>[] }>('/admin/jobs')
  return body.items.find((job) => job.id === id)!
}
