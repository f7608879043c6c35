import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { UniversalJobList } from '../../../src/contract/universal.ts'
import type { Database } from '../../../src/platform/store/database.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { answer, silence } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { closer } from '../../fakes/stores.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const SANDBOX_JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const SLOW_JOB = { model: 'text/sentiment_analysis/openai/gpt-4o-mini', input: { text: 'Lovely.' } }
const GOOD = JSON.stringify({ general_sentiment: 'Positive', general_sentiment_rate: 1, items: [] })
const PATH = '/v3/universal-ai/async'
const JOBS = 20
const AT_ONCE = 50

describe('processes that end, one after the other', () => {
  const closing = new AsyncDisposableStack()
  let gateway: SetUp
  let second: GatewayProcess
  /** The job that was running when its process was killed. */
  let interrupted: string
  before(async () => {
    gateway = await setUp(closing)
  })
  after(() => closing.disposeAsync())

  test('a process is killed: what it had acknowledged is done by the next', async () => {
    const { provider, database, start } = gateway
    provider.always(silence())
    const first = await start()
    const client = taskClient(first.url)
    interrupted = (await client.submit(SLOW_JOB)).body.public_id
    await provider.request(0)
    const replies = await Promise.all(Array.from({ length: JOBS }, () => client.submit(SANDBOX_JOB)))
    first.child.kill('SIGKILL')
    await first.ended
    assert.ok(replies.every(({ status }) => status === 202))
    await database(endLeases)
    provider.always(answer({ content: GOOD }))
    second = await start()
    const after = taskClient(second.url)
    for (const { body } of replies) assert.equal((await after.ended(body.public_id)).status, 'success')
    const job = await after.ended(interrupted)
    assert.deepEqual([job.status, job.cost, provider.requests.length], ['success', 0.00000855, 2])
    assert.equal((await adminJob(second.adminUrl, interrupted)).executions, 2)
  })

  test('a process that is stopped lets its jobs end, and has counted once what was started twice', async () => {
    const { provider, database } = gateway
    const { promise: go, resolve: release } = Promise.withResolvers<void>()
    provider.always(async (seen, response) => {
      await go
      return answer({ content: GOOD })(seen, response)
    })
    const { public_id } = (await taskClient(second.url).submit(SLOW_JOB)).body
    await provider.request(2)
    const ended = second.stop()
    release()
    assert.deepEqual(await ended, { code: 0, signal: null })
    const states = await database((db) => db.query('SELECT state, executions FROM jobs WHERE id = $1', [public_id]))
    assert.deepEqual({ ...states[0]! }, { state: 'success', executions: 1 })
    assert.deepEqual(await database((db) => ledgerOf(db, interrupted)), [{ status: 200, cost: 0.00000855 }])
  })
})

test('a job that does not end in time is released, and the next process runs it as if for the first time', async (t) => {
  const { env, provider, database } = await setUp(closer(t))
  provider.always(silence())
  const first = await startGateway({ env, dataDir: env.DATA_DIR, overrides: { jobGraceMs: 10 } })
  const { public_id } = (await taskClient(first.url).submit(SLOW_JOB)).body
  const { closed } = await provider.request(0)
  await first.close()
  assert.equal(await closed, true, 'the provider does not go on with work that was given up')
  provider.always(answer({ content: GOOD }))
  const second = await startGateway({ env, dataDir: env.DATA_DIR })
  const job = await taskClient(second.url).ended(public_id)
  assert.equal(job.status, 'success', job.error?.message)
  assert.equal((await adminJob(second.adminUrl, public_id)).executions, 1)
  await second.close()
  assert.deepEqual(await database((db) => ledgerOf(db, public_id)), [{ status: 200, cost: 0.00000855 }])
})

test('a job whose file was deleted, or whose key was revoked, meanwhile ends all the same', async (t) => {
  const { env, provider } = await setUp(closer(t))
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

describe('jobs with an Idempotency-Key', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  let numbers = 0
  before(async () => {
    gateway = await startGateway()
    client = taskClient(gateway.url)
  })
  after(() => gateway?.close())

  test('the same again is the same job', async () => {
    const headers = newKey()
    const first = await client.submit(SANDBOX_JOB, headers)
    const ended = await client.ended(first.body.public_id)
    const again = await client.submit(SANDBOX_JOB, headers)
    assert.deepEqual([first.status, again.status], [202, 202])
    assert.deepEqual(again.body, ended)
  })

  test('another body under the same key is a conflict', async () => {
    const headers = newKey()
    await client.submit(SANDBOX_JOB, headers)
    for (const body of [
      { ...SANDBOX_JOB, input: { text: 'Bye' } },
      { ...SANDBOX_JOB, fallbacks: ['sandbox'] },
    ]) {
      const { status, body: refusal } = await client.submit(body, headers)
      assert.deepEqual([status, refusal.error.code], [409, 'conflict'])
    }
  })

  test('what was refused takes no key', async () => {
    const headers = newKey()
    assert.equal((await client.submit({ ...SANDBOX_JOB, input: {} }, headers)).status, 422)
    assert.equal((await client.submit(SANDBOX_JOB, headers)).status, 202)
  })

  test(`${AT_ONCE} at once are one job`, async () => {
    const before = await total()
    const headers = newKey()
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => client.submit(SANDBOX_JOB, headers)))
    assert.ok(replies.every(({ status }) => status === 202))
    assert.equal(new Set(replies.map(({ body }) => body.public_id)).size, 1)
    assert.equal(await total(), before + 1)
    const lines = await linesOf(replies[0]!.body.public_id)
    assert.equal(lines, 1)
  })

  test('without a key every one is a job of its own', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => client.submit(SANDBOX_JOB)))
    assert.equal(new Set(replies.map(({ body }) => body.public_id)).size, 5)
  })

  test('a key is one owner’s', async () => {
    const headers = newKey()
    const mine = await client.submit(SANDBOX_JOB, headers)
    const stranger = taskClient(gateway.url, (await adminClient(gateway.adminUrl).issue()).key)
    const theirs = await stranger.submit({ ...SANDBOX_JOB, input: { text: 'Bye' } }, headers)
    assert.equal(theirs.status, 202)
    assert.notEqual(theirs.body.public_id, mine.body.public_id)
    const partner = taskClient(gateway.url, (await adminClient(gateway.adminUrl).issue({ owner: 'default' })).key)
    assert.equal((await partner.submit(SANDBOX_JOB, headers)).body.public_id, mine.body.public_id)
  })

  test('a key of no or too many characters is refused', async () => {
    assert.equal((await client.submit(SANDBOX_JOB, { 'idempotency-key': 'x'.repeat(255) })).status, 202)
    for (const key of ['', 'x'.repeat(256)]) {
      const { status, body } = await client.submit(SANDBOX_JOB, { 'idempotency-key': key })
      assert.deepEqual([status, body.detail[0]!.loc], [422, ['header', 'idempotency-key']])
    }
  })

  test('a deleted job’s key may be used again', async () => {
    const headers = newKey()
    const { public_id } = (await client.submit(SANDBOX_JOB, headers)).body
    await client.ended(public_id)
    await client.delete(`${PATH}/${public_id}`)
    const { status, body } = await client.submit({ ...SANDBOX_JOB, input: { text: 'Bye' } }, headers)
    assert.equal(status, 202)
    assert.notEqual(body.public_id, public_id)
  })

  /** The number of ledger lines of a job that has ended. */
  async function linesOf(id: string): Promise<number> {
    await client.ended(id)
    const { ledger, db } = gateway.gateway.services.calls
    await ledger.flush()
    return (await ledgerOf(db, id)).length
  }

  async function total(): Promise<number> {
    return (await client.get<UniversalJobList>(PATH)).body.total
  }

  function newKey() {
    return { 'idempotency-key': `key-${++numbers}` }
  }
})

type SetUp = {
  env: Record<string, string> & { DATA_DIR: string }
  provider: FakeProvider
  /** A separate process, which does not outlive its test. */
  start(): Promise<GatewayProcess>
  database<Found>(look: (db: Database) => Promise<Found>): Promise<Found>
}

async function setUp(closing: AsyncDisposableStack): Promise<SetUp> {
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const provider = await startFakeProvider()
  closing.defer(provider.close)
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const env = { DATA_DIR: folder.path, OPENAI_BASE_URL: provider.url, ...keys }
  return { env, provider, start, database }

  async function start(): Promise<GatewayProcess> {
    const gateway = await startProcess(env)
    closing.defer(() => void gateway.child.kill('SIGKILL'))
    return gateway
  }

  async function database<Found>(look: (db: Database) => Promise<Found>): Promise<Found> {
    const db = await openDatabase({ dataDir: folder.path })
    return look(db).finally(db.close)
  }
}

/** Ends all leases, as if enough time had passed since the processes that had them died. */
async function endLeases(db: Database): Promise<void> {
  await db.query("UPDATE jobs SET lease_until = 1 WHERE state = 'running'")
}

async function ledgerOf(db: Database, id: string): Promise<object[]> {
  return (await db.query<object>('SELECT status, cost_nanos / 1e9 AS cost FROM usage WHERE id = $1', [id])).map(
    (row) => ({ ...row }),
  )
}

async function adminJob(adminUrl: string, id: string): Promise<Record<string, unknown>> {
  const { body } = await adminClient(adminUrl).get<{ items: Record<string, unknown>[] }>('/admin/jobs')
  return body.items.find((job) => job.id === id)!
}
