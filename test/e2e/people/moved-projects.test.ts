import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Simulation } from '../../../src/contract/admin/simulation.ts'
import { noonClock } from '../../fakes/noon-clock.ts'
import { nextMillisecond, storeKinds } from '../../fakes/stores.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// A project makes two calls in one organization, and one in another. A person never sees calls of an organization that their
// role does not reach, in any report by project, key or user.

for (const { name, skip, newStore } of await storeKinds())
  describe(`a project that went to another organization, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: Client
    let key: { id: string; key: string }
    let user: string
    let old: string
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore, overrides: { now: noonClock() } })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      for (const id of ['former', 'latter']) await made('/admin/organizations', { name: id, id })
      const content = { mode: 'full', days: 1, managers_read: true }
      await made('/admin/projects', { name: 'moving', id: 'moving', organization: 'former' })
      assert.equal((await admin('PATCH', '/admin/projects/moving', { content })).status, 200)
      user = (await made('/admin/users', { name: 'robot', role: 'member', organization: 'latter' })).id
      await made('/admin/members', { user, role: 'member', project: 'moving' })
      key = await made('/admin/keys', { name: 'k', project: 'moving', user })
      old = await call()
      await call()
      assert.equal((await admin('PATCH', '/admin/projects/moving', { organization: 'latter' })).status, 200)
      await call()
      await gateway.gateway.services.calls.ledger.flush()
      await nextMillisecond(gateway.gateway.services.calls.db)
    })
    after(() => closing.disposeAsync())

    test('shows its earlier calls to the former organization only, in every report', async () => {
      const expected: [place: object, calls: number][] = [
        [{ role: 'owner', organization: 'former' }, 2],
        [{ role: 'owner', organization: 'latter' }, 1],
        [{ role: 'billing', project: 'moving' }, 1],
        [{ role: 'manager', project: 'moving' }, 1],
        [{ role: 'owner', organization: 'default' }, 0],
      ]
      for (const [place, calls] of expected) {
        const client = await holding(place)
        for (const count of COUNTS) assert.equal(await count(client), calls, `${JSON.stringify(place)} ${count.name}`)
      }
    })

    test('is simulated without the calls of the former organization', async () => {
      const latter = await holding({ role: 'owner', organization: 'latter' })
      const manager = await holding({ role: 'manager', project: 'moving' })
      for (const holder of [`project:moving`, `key:${key.id}`]) {
        assert.equal((await simulated(latter, holder)).requests, 1, holder)
        assert.equal((await simulated(manager, holder)).requests, 1, holder)
        assert.equal((await simulated(admin, holder)).requests, 3, holder)
      }
      // The user belongs to the latter organization, but not what was done with the user's key in the former one.
      assert.equal((await simulated(latter, `user:${user}`)).requests, 1)
    })

    test('is not part of a simulation for all callers by a person whose role does not reach it', async () => {
      const operator = await holding({ role: 'owner', organization: 'default' })
      const found = await simulated(operator, 'all')
      assert.deepEqual([found.requests, found.is_complete], [0, false])
      assert.equal((await simulated(admin, 'all')).requests, 3)
    })

    test('counts only the later calls of its keys for the latter organization', async () => {
      for (const place of [
        { role: 'owner', organization: 'latter' },
        { role: 'manager', project: 'moving' },
      ]) {
        const client = await holding(place)
        assert.equal((await client('GET', `/admin/keys/${key.id}`)).body.month_requests, 1)
        assert.equal((await client('GET', '/admin/keys')).body.items[0].month_requests, 1)
      }
      assert.equal((await admin('GET', `/admin/keys/${key.id}`)).body.month_requests, 3)
    })

    test('leaves what was kept of its earlier calls to the former organization', async () => {
      const path = `/admin/requests/${old}/content`
      assert.equal((await (await holding({ role: 'owner', organization: 'former' }))('GET', path)).status, 200)
      assert.equal((await (await holding({ role: 'owner', organization: 'latter' }))('GET', path)).status, 404)
      assert.equal((await (await holding({ role: 'manager', project: 'moving' }))('GET', path)).status, 404)
      // That managers may read is a setting of the latter organization now.
      assert.equal((await (await holding({ role: 'manager', organization: 'former' }))('GET', path)).status, 404)
      assert.equal((await admin('GET', path)).status, 200)
    })

    test('does not open what was kept to an organization whose own call has the same id as a request', async () => {
      await made('/admin/organizations', { name: 'curious', id: 'curious' })
      await made('/admin/projects', { name: 'curious', id: 'curious', organization: 'curious' })
      const own = await made('/admin/keys', { name: 'k', project: 'curious' })
      await call(own.key, { 'x-request-id': old })
      await gateway.gateway.services.calls.ledger.flush()
      const path = `/admin/requests/${old}/content`
      assert.equal((await (await holding({ role: 'owner', organization: 'curious' }))('GET', path)).status, 404)
      assert.equal((await (await holding({ role: 'owner', organization: 'former' }))('GET', path)).status, 200)
      assert.equal((await admin('GET', `/admin/requests/${old}`)).body.id, old)
    })

    test('is not named to them either: by a limit for all callers that counts keys apart, nor in the catalog', async () => {
      const operator = await holding({ role: 'owner', organization: 'default' })
      const limit = { id: 'each-key', applies_to: 'all', per: 'key', unit: 'requests', limit: 9, window: 'day' }
      await made('/admin/rate-limits', limit)
      await call()
      const policy = { models: ['sandbox/echo'] }
      assert.equal((await admin('PATCH', '/admin/projects/moving', { policy })).status, 200)
      await gateway.gateway.services.calls.ledger.flush()
      for (const [client, keys] of [
        [admin, [key.id]],
        [operator, []],
      ] as const) {
        const { body } = await client('GET', '/admin/rate-limits/each-key')
        const buckets = body.buckets.map(({ bucket }: { bucket: string }) => bucket)
        assert.deepEqual([body.spent, buckets], [1, keys])
        // Where some project may not use a model, those that may are listed.
        const { body: models } = await client('GET', '/admin/models?provider=sandbox')
        const isRestricted = models.items.some(
          ({ restricted_to }: { restricted_to: unknown }) => restricted_to !== null,
        )
        assert.equal(isRestricted, keys.length > 0)
      }
    })

    const COUNTS = [
      async function listed(client: Client): Promise<number> {
        return (await client('GET', '/admin/requests?project=moving')).body.items.length
      },
      async function exported(client: Client): Promise<number> {
        return String((await client('GET', '/admin/requests?format=jsonl')).body).match(/"id"/g)?.length ?? 0
      },
      async function reported(client: Client): Promise<number> {
        return (await client('GET', '/admin/usage?group_by=project&project=moving')).body.total.requests
      },
      async function reportedOfKey(client: Client): Promise<number> {
        return (await client('GET', `/admin/usage?group_by=day&key=${key.id}`)).body.total.requests
      },
      async function shownAlone(client: Client): Promise<number> {
        const calls = (await admin('GET', '/admin/requests?project=moving')).body.items as { id: string }[]
        const statuses = calls.map(async ({ id }) => (await client('GET', `/admin/requests/${id}`)).status)
        return (await Promise.all(statuses)).filter((status) => status === 200).length
      },
    ]

    async function made(path: string, body: object) {
      const answer = await admin('POST', path, body)
      assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
      return answer.body
    }

    async function call(secret = key.key, more = {}): Promise<string> {
      const headers = { authorization: `Bearer ${secret}`, ...more }
      const answer = await chatClient(gateway.url).whole({ model: 'sandbox/echo', ...HELLO }, { headers })
      assert.equal(answer.status, 200)
      return answer.headers.get('x-request-id')!
    }

    async function holding(place: object): Promise<Client> {
      const account = await made('/admin/users', { name: 'viewer', ...place })
      const { token } = await made(`/admin/users/${account.id}/tokens`, { name: 't' })
      return clientOf(gateway, { authorization: `Bearer ${token}` })
    }

    async function simulated(client: Client, applies_to: string): Promise<Simulation> {
      const plan = { applies_to, unit: 'requests', limit: 9, window: 'day' }
      const { status, body } = await client('POST', '/admin/rate-limits/simulate', plan)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
  })
