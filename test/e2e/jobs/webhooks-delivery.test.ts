import assert from 'node:assert/strict'
import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextMillisecond } from '../../fakes/stores.ts'
import { type Received, startReceiver } from '../../fakes/webhook-receiver.ts'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const ALLOW = { ALLOW_NETWORKS: '127.0.0.0/8' }
const POLL_MS = 20
const NEVER_MS = 600_000

type Delivery = {
  id: string
  job_id: string
  state: string
  attempts: number
  last_status: number | null
  last_error: string | null
}
type Deliveries = { items: Delivery[]; next_cursor: string }

describe('deliveries of webhooks', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let gateway: GatewayUnderTest
  let client: TaskClient
  let admin: AdminClient
  before(async () => {
    receiver = await startReceiver()
    gateway = await startGateway({ env: ALLOW, overrides: { deliveryDelaysMs: [10, 10, 10] } })
    client = taskClient(gateway.url)
    admin = adminClient(gateway.adminUrl)
  })
  after(async () => {
    await gateway?.close()
    await receiver?.stop()
  })
  test('a failure of the receiver’s is tried again with the very same bytes', async () => {
    const script = [500, 503, 200]
    const scripted = await startReceiver((response) => void response.writeHead(script.shift()!).end())
    await client.submit({ ...JOB, webhook_receiver: scripted.url })
    await until(() => scripted.received.length === 3)
    await scripted.stop()
    const [first, ...others] = scripted.received
    for (const { body, headers } of others) {
      assert.ok(body.equals(first!.body))
      for (const name of ['x-service-signature', 'x-service-key-id', 'webhook-id'])
        assert.equal(headers[name], first!.headers[name])
    }
  })

  const ENDS: Record<string, [path: string, attempts: number, state: string, status: number | null]> = {
    'a 204': ['/204', 1, 'delivered', 204],
    'a 301': ['/301', 1, 'failed', 301],
    'a 302': ['/302', 1, 'failed', 302],
    'a 307': ['/307', 1, 'failed', 307],
    'a 308': ['/308', 1, 'failed', 308],
    'a 400': ['/400', 1, 'failed', 400],
    'a 401': ['/401', 1, 'failed', 401],
    'a 404': ['/404', 1, 'failed', 404],
    'a 410': ['/410', 1, 'failed', 410],
    'a 429': ['/429', 1, 'failed', 429],
    'a 500': ['/500', 4, 'failed', 500],
    'a reset': ['/reset', 4, 'failed', null],
  }
  describe('by what the receiver does', { concurrency: true }, () => {
    for (const [what, [path, attempts, state, status]] of Object.entries(ENDS)) {
      test(`${what} ends after ${attempts} attempts as ${state}`, async () => {
        const delivery = await settled((await submit(path)).body.public_id)
        assert.deepEqual([delivery.state, delivery.attempts, delivery.last_status], [state, attempts, status])
        assert.equal(receivedAt(path).length, attempts)
        // The target of its redirects.
        assert.equal(receivedAt('/200').length, 0)
      })
    }
  })

  test('a receiver that answers with a novel has the webhook all the same', async () => {
    const talkative = await startReceiver((response) => void response.writeHead(200).write('x'.repeat(1_000_000)))
    const { public_id } = (await client.submit({ ...JOB, webhook_receiver: talkative.url })).body
    assert.deepEqual([(await settled(public_id)).state, talkative.received.length], ['delivered', 1])
    await talkative.stop()
  })

  test('a webhook once promised is sent although its job is deleted', async () => {
    const { promise: go, resolve: release } = Promise.withResolvers<void>()
    const slow = await startReceiver((response) => go.then(() => void response.end()))
    const { public_id } = (await client.submit({ ...JOB, webhook_receiver: slow.url })).body
    await until(() => slow.received.length === 1)
    assert.equal((await client.delete(`/v3/universal-ai/async/${public_id}`)).status, 200)
    release()
    assert.equal((await settled(public_id)).state, 'delivered')
    await slow.stop()
  })

  test('the operator lists deliveries, without what is in them', async () => {
    await nextMillisecond(gateway.gateway.services.calls.db)
    const ids = [(await submit('/200?token=1')).body.public_id, (await submit('/400')).body.public_id]
    for (const id of ids) await settled(id)
    const { body, text } = await admin.get<Deliveries>('/admin/deliveries?limit=2')
    assert.deepEqual(body.items.map(({ job_id }) => job_id).toSorted(), ids.toSorted())
    assert.doesNotMatch(text, /"(body|signature)"/)
    const failed = await admin.get<Deliveries>('/admin/deliveries?state=failed&limit=1')
    assert.deepEqual([failed.body.items[0]!.job_id, failed.body.items[0]!.last_status], [ids[1], 400])
    const next = await admin.get<Deliveries>(`/admin/deliveries?state=failed&limit=1&cursor=${failed.body.next_cursor}`)
    assert.notEqual(next.body.items[0]!.id, failed.body.items[0]!.id)
    for (const query of ['state=lost', 'limit=0', 'cursor=x', 'job_id=a&job_id=b'])
      assert.equal((await admin.get(`/admin/deliveries?${query}`)).status, 422, query)
  })

  test('the operator has one sent again: the same bytes, with all attempts anew', async () => {
    const { id, job_id } = await settled((await submit('/502')).body.public_id)
    const { status, body } = await admin.post<Delivery>(`/admin/deliveries/${id}/redeliver`, {})
    assert.deepEqual([status, body.id, body.state, body.attempts], [200, id, 'pending', 0])
    await until(() => receivedAt('/502').length === 8)
    assert.equal(new Set(receivedAt('/502').map(({ body }) => body.toString('hex'))).size, 1)
    assert.deepEqual((await settled(job_id)).attempts, 4)
    assert.equal((await admin.post(`/admin/deliveries/${randomUUID()}/redeliver`, {})).status, 404)
  })

  function submit(path: string) {
    return client.submit({ ...JOB, webhook_receiver: receiver.url + path })
  }

  function receivedAt(path: string): Received[] {
    return receiver.received.filter((one) => one.path === path)
  }

  function settled(jobId: string): Promise<Delivery> {
    return deliveryOf(jobId, admin, ({ state }) => state !== 'pending')
  }
})

test('keys change, and every webhook goes out under the key that signed it', async (t) => {
  const folder = await temporaryFolder()
  t.after(folder.remove)
  const receiver = await startReceiver()
  t.after(receiver.stop)
  const env = { ...ALLOW, WEBHOOK_PRIVATE_KEY_FILE: '' }
  const options = { env, dataDir: folder.path, overrides: { deliveryDelaysMs: [NEVER_MS] } }
  const first = await startGateway(options)
  const oldPem = (await taskClient(first.url).get('/v3/webhooks/public-key')).text
  const oldKey = await timeKeyOf(taskClient(first.url))
  const { body } = await taskClient(first.url).submit({ ...JOB, webhook_receiver: `${receiver.url}/500` })
  const waiting = await deliveryOf(body.public_id, adminClient(first.adminUrl), ({ attempts }) => attempts === 1)
  await first.close()
  const rotated = await runHere(['webhook-key', 'rotate'], { DATA_DIR: folder.path })
  assert.equal(rotated.code, 0, rotated.stderr)
  const printed = await runHere(['webhook-key'], { DATA_DIR: folder.path })
  const second = await startGateway(options)
  const client = taskClient(second.url)
  const newPem = (await client.get('/v3/webhooks/public-key')).text
  assert.deepEqual([printed.stdout, rotated.stdout], [newPem, newPem])
  assert.notEqual(newPem, oldPem)
  const [oldTimeKey, newTimeKey] = [oldKey, await timeKeyOf(client)]
  assert.notEqual(newTimeKey.public_key, oldTimeKey.public_key)
  const printedTimeKey = await runHere(['webhook-key', 'ed25519'], { DATA_DIR: folder.path })
  assert.equal(printedTimeKey.stdout, `${newTimeKey.public_key}\n`)
  assert.ok(rotated.stderr.includes(newTimeKey.public_key) && printed.stderr.includes(newTimeKey.public_key))
  await adminClient(second.adminUrl).post(`/admin/deliveries/${waiting.id}/redeliver`, {})
  await client.submit({ ...JOB, webhook_receiver: `${receiver.url}/200` })
  await until(() => receiver.received.length === 3)
  await second.close()
  const [before, again] = receiver.received.filter(({ path }) => path === '/500')
  const [fresh] = receiver.received.filter(({ path }) => path === '/200')
  assert.deepEqual(again!.body, before!.body)
  for (const webhook of [before!, again!]) assert.ok(isSignedBy(oldPem, webhook))
  assert.ok(isSignedBy(newPem, fresh!) && !isSignedBy(oldPem, fresh!))
  assert.equal(again!.headers['x-service-key-id'], before!.headers['x-service-key-id'])
  assert.notEqual(fresh!.headers['x-service-key-id'], before!.headers['x-service-key-id'])
  // Every attempt signs the time with the current key; the signature of the body is the original one.
  assert.ok(isTimedBy(oldTimeKey.pem, before!) && !isTimedBy(newTimeKey.pem, before!))
  for (const webhook of [again!, fresh!])
    assert.ok(isTimedBy(newTimeKey.pem, webhook) && !isTimedBy(oldTimeKey.pem, webhook))
  assert.equal(again!.headers['webhook-id'], before!.headers['webhook-id'])
  assert.match(rotated.stderr, new RegExp(`Key id ${fresh!.headers['x-service-key-id']}`))
})

test('a receiver that is no longer allowed is given up, and not called', async (t) => {
  const folder = await temporaryFolder()
  t.after(folder.remove)
  const receiver = await startReceiver()
  t.after(receiver.stop)
  const first = await startGateway({ env: ALLOW, dataDir: folder.path, overrides: { role: 'api' } })
  const { body } = await taskClient(first.url).submit({ ...JOB, webhook_receiver: receiver.url })
  await first.close()
  const second = await startGateway({ dataDir: folder.path })
  const admin = adminClient(second.adminUrl)
  const { state, attempts, last_error } = await deliveryOf(body.public_id, admin, (one) => one.state !== 'pending')
  await second.close()
  const reason = 'The URL of the receiver is not allowed.'
  assert.deepEqual([state, attempts, last_error, receiver.received.length], ['failed', 1, reason, 0])
})

/** Waits until the job's delivery is in the expected state. */
async function deliveryOf(
  jobId: string,
  admin: AdminClient,
  isReady: (delivery: Delivery) => boolean,
): Promise<Delivery> {
  for (;;) {
    const [delivery] = (await admin.get<Deliveries>(`/admin/deliveries?job_id=${jobId}`)).body.items
    if (delivery && isReady(delivery)) return delivery
    await sleep(POLL_MS)
  }
}

function isSignedBy(pem: string, { body, headers }: Received): boolean {
  const digest = createHash('sha256').update(body).digest('hex')
  const signature = Buffer.from(String(headers['x-service-signature']), 'hex')
  return verify('RSA-SHA256', Buffer.from(digest), createPublicKey(pem), signature)
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(POLL_MS)
}

type TimeKey = { public_key: string; pem: string }

async function timeKeyOf(client: TaskClient): Promise<TimeKey> {
  return (await client.get<TimeKey>('/v3/webhooks/public-key/ed25519')).body
}

/** Verifies as any Standard Webhooks library does. */
function isTimedBy(pem: string, { body, headers }: Received): boolean {
  const start = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  const [, base64 = ''] = /^v1a,(\S+)$/.exec(String(headers['webhook-signature'])) ?? []
  const content = Buffer.concat([Buffer.from(start), body])
  return verify(null, content, createPublicKey(pem), Buffer.from(base64, 'base64'))
}
