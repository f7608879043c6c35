import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

// Which organization reads what a job and its webhook contain, if the key or the job is not where it was any more.

const POLL_MS = 10
const TASK = { model: 'text/moderation/sandbox', input: { text: 'a private text' } }

for (const { name, skip, newStore } of await storeKinds())
  describe(`contents of jobs of two organizations, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let admin: Client
    const owners: Record<string, Client> = {}
    const closing = new AsyncDisposableStack()
    before(async () => {
      receiver = await startReceiver((response) => void response.writeHead(503).end())
      closing.defer(() => receiver.stop())
      const env = { ALLOW_NETWORKS: '127.0.0.0/8' }
      gateway = await startGateway({ newStore, env, overrides: { deliveryDelaysMs: [HOUR_MS], drainMs: 0 } })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      for (const id of ['former', 'latter']) {
        await made('/admin/organizations', { name: id, id })
        await made('/admin/projects', { name: id, id, organization: id })
        owners[id] = await owner(id)
      }
      owners.default = await owner('default')
    })
    after(() => closing.disposeAsync())

    test('a key that went to another organization leaves its jobs where they were made', async () => {
      const key = await made('/admin/keys', { name: 'k', project: 'former' })
      const { job, delivery } = await run(key.key)
      assert.equal((await admin('PATCH', `/admin/keys/${key.id}`, { project: 'latter' })).status, 200)
      for (const path of [`/admin/jobs/${job}`, `/admin/deliveries/${delivery}`])
        assert.deepEqual(await readers(path), ['former'], path)
      for (const list of ['/admin/jobs', '/admin/deliveries']) {
        const { items } = (await owners.latter!('GET', list)).body
        assert.deepEqual(items, [], `${list} of those whose key it is now`)
        assert.equal((await owners.former!('GET', list)).body.items.length, 1)
      }
      assert.equal((await owners.latter!('DELETE', `/admin/jobs/${job}`)).status, 404)
    })

    test('a webhook that is still to be sent although its job was deleted stays with the organization of its key', async () => {
      await made('/admin/projects', { name: 'apart', id: 'apart', organization: 'latter', share: 'key' })
      const key = await made('/admin/keys', { name: 'k', project: 'apart' })
      const { job, delivery } = await run(key.key)
      assert.deepEqual(await readers(`/admin/jobs/${job}`), ['latter'])
      assert.equal((await admin('DELETE', `/admin/jobs/${job}`)).status, 204)
      assert.deepEqual(await readers(`/admin/deliveries/${delivery}`), ['latter'])
    })

    /** The organizations whose owners get the contents. */
    async function readers(path: string): Promise<string[]> {
      const statuses = Object.entries(owners).map(async ([id, client]) => {
        return (await client('GET', `${path}?content=true`)).status === 200 ? [id] : []
      })
      return (await Promise.all(statuses)).flat()
    }

    async function run(key: string): Promise<{ job: string; delivery: string }> {
      const client = taskClient(gateway.url, key)
      const { body } = await client.submit({ ...TASK, webhook_receiver: receiver.url })
      await client.ended(body.job_id)
      const { items } = (await admin('GET', `/admin/deliveries?job_id=${body.job_id}`)).body
      while ((await admin('GET', `/admin/deliveries/${items[0].id}`)).body.attempts === 0) await sleep(POLL_MS)
      return { job: body.job_id, delivery: items[0].id }
    }

    async function made(path: string, body: object) {
      const answer = await admin('POST', path, body)
      assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
      return answer.body
    }

    async function owner(organization: string): Promise<Client> {
      const { id } = await made('/admin/users', { name: organization, role: 'owner', organization })
      const { token } = await made(`/admin/users/${id}/tokens`, { name: 't' })
      return clientOf(gateway, { authorization: `Bearer ${token}` })
    }
  })
