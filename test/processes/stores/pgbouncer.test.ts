import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { startPgBouncer } from '../../fakes/pgbouncer.ts'
import { startPostgres } from '../../fakes/postgres.ts'
import { sample } from '../../soak/sample.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { taskClient } from '../../gateway/task-client.ts'

// A gateway behind a real PgBouncer in transaction mode, with three connections to the server. `npm run soak` runs this with
// several API processes, and the whole suite of the store through PgBouncer.

const JOBS = 20
const PROCESSES = sample(1, 2)
const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const ADMIN_KEY = 'pgbouncer-admin'
const SERVER_CONNECTIONS = 3

const postgres = await startPostgres()
const pooler = 'skip' in postgres ? postgres : await startPgBouncer(postgres.url)
const skip = 'skip' in pooler ? pooler.skip : false
after(async () => {
  if ('url' in pooler) await pooler.stop()
  if ('url' in postgres) await postgres.stop()
})

describe('PgBouncer in transaction mode', { skip }, () => {
  const { url: pooled } = pooler as { url: string }
  const closing = new AsyncDisposableStack()
  let gateway: GatewayProcess
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  after(() => closing.disposeAsync())

  test('an address that does not declare it is answered with what to add', async () => {
    const db = await openDatabase({ databaseUrl: pooled.replace('?pgbouncer=true', ''), dataDir: '' })
    closing.defer(db.close)
    await assert.rejects(db.query('SELECT 1'), { name: 'StoreUnavailable', message: /add \?pgbouncer=true/ })
  })

  test('a gateway migrates the database and starts', async () => {
    const folder = await temporaryFolder()
    closing.defer(folder.remove)
    receiver = await startReceiver()
    closing.defer(receiver.stop)
    const env = {
      DATA_DIR: folder.data,
      DATABASE_URL: pooled,
      WORKERS: String(PROCESSES),
      ALLOW_NETWORKS: '127.0.0.0/8',
    }
    gateway = await startProcess({ ...env, GATEHOUSE_ADMIN_KEY: ADMIN_KEY })
    closing.defer(async () => void (await gateway.stop()))
    assert.equal((await fetch(`${gateway.url}/health/ready`)).status, 200)
  })

  test('jobs end, and their webhooks arrive', async () => {
    const client = await newClient('live')
    const submitted = await Promise.all(
      Array.from({ length: JOBS }, () => client.submit({ ...JOB, webhook_receiver: receiver.url })),
    )
    for (const { status, body } of submitted) {
      assert.equal(status, 202)
      assert.equal((await client.ended(body.public_id)).status, 'success')
    }
    await until(async () => receiver.received.length === JOBS)
    const ids = receiver.received.map(({ body }) => JSON.parse(body.toString()).job_id)
    assert.deepEqual(ids.sort(), submitted.map(({ body }) => body.public_id).sort())
  })

  test('a delivery is sent again when an administrator asks for it', async () => {
    const admin = adminClient(gateway.adminUrl, ADMIN_KEY)
    const { body } = await admin.get<{ items: { id: string }[] }>('/admin/deliveries')
    receiver.received.length = 0
    assert.equal((await admin.post(`/admin/deliveries/${body.items[0]!.id}/redeliver`, {})).status, 200)
    await until(async () => receiver.received.length === 1)
  })

  test('files and collections are stored, listed and deleted', async () => {
    const client = await newClient('sandbox')
    const file = await client.store('Hello', 'hello.txt')
    assert.equal((await client.get(`/v3/upload/${file.file_id}`)).status, 200)
    const model = 'image/face_recognition/amazon'
    const { body } = await client.post<{ collection_id: string }>('/v3/universal-ai/collections', { model })
    const listed = await client.get<{ items: { collection_id: string }[] }>('/v3/universal-ai/collections')
    assert.deepEqual(
      listed.body.items.map(({ collection_id }) => collection_id),
      [body.collection_id],
    )
    assert.equal((await client.delete(`/v3/universal-ai/collections/${body.collection_id}`)).status, 200)
  })

  test('a revoked key is refused by all processes, and the ledger has every job', async () => {
    const admin = adminClient(gateway.adminUrl, ADMIN_KEY)
    const { id, key } = await admin.issue()
    for (let i = 0; i < 4; i++) assert.equal(await models(key), 200)
    assert.equal((await admin.delete(`/admin/keys/${id}`)).status, 204)
    for (let refusals = 0; refusals < 8; refusals++) if ((await models(key)) !== 401) refusals = -1
    const { body } = await admin.get<UsageReport>('/admin/usage?group_by=model')
    assert.ok(body.total.requests >= JOBS)
  })

  test('all of that went through the connections of the pooler', async () => {
    const direct = await openDatabase({ databaseUrl: 'url' in postgres ? postgres.url : '', dataDir: '' })
    closing.defer(direct.close)
    const sql = "SELECT COUNT(*) AS count FROM pg_stat_activity WHERE backend_type = 'client backend'"
    const [row] = await direct.query<{ count: number }>(sql)
    assert.ok(row!.count >= 2 && row!.count <= SERVER_CONNECTIONS + 1, String(row!.count))
  })

  async function newClient(kind: 'live' | 'sandbox') {
    const { key } = await adminClient(gateway.adminUrl, ADMIN_KEY).issue({ kind })
    return taskClient(gateway.url, key)
  }

  /** Every call has a connection of its own, so that all processes get some. */
  async function models(key: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    return (await fetch(`${gateway.url}/v3/models`, { headers })).status
  }
})

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20)
}
