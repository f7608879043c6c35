import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../../fakes/stores.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

// What a member can do with own keys, and what a member sees: never more than the project allows, never what belongs to others.

const TASK = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }
const YEAR_MS = 365 * DAY_MS

for (const { name, skip, newStore } of await storeKinds())
  describe(`members of a project on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: Client
    let lateBy = 0
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore, overrides: { now: () => Date.now() + lateBy } })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      const policy = { models: ['sandbox/echo', 'text/*'] }
      assert.equal((await admin('POST', '/admin/projects', { name: 'research', id: 'research', policy })).status, 201)
    })
    after(() => closing.disposeAsync())

    test('see their own requests and jobs only, in lists, one by one and in exports', async () => {
      const [mine, other] = [await member(), await member()]
      const calls = { mine: await used(mine.key), other: await used(other.key) }
      const { body: requests } = await mine.client('GET', '/admin/requests')
      assert.deepEqual(new Set(requests.items.map(({ key }: { key: string }) => key)), new Set([mine.keyId]))
      assert.equal((await mine.client('GET', `/admin/requests/${calls.mine.call}`)).status, 200)
      assert.equal((await mine.client('GET', `/admin/requests/${calls.other.call}`)).status, 404)
      assert.equal((await mine.client('GET', `/admin/requests?key=${other.keyId}`)).body.items.length, 0)
      for (const path of ['requests?format=csv', 'requests?format=jsonl', 'usage?format=csv&group_by=key']) {
        const text = String((await mine.client('GET', `/admin/${path}`)).body)
        assert.ok(text.includes(mine.keyId) && !text.includes(other.keyId), path)
      }
      const { body: jobs } = await mine.client('GET', '/admin/jobs')
      assert.deepEqual(
        jobs.items.map(({ id }: { id: string }) => id),
        [calls.mine.job],
      )
    })

    test('a manager cannot make a user an owner or admin of the project, least of all the own account', async () => {
      const manager = await holding({ role: 'manager', project: 'research' })
      const { id } = (await manager('GET', '/admin/me')).body
      const [own] = (await manager('GET', `/admin/members?user=${id}`)).body.items
      for (const role of ['owner', 'admin']) {
        assert.equal((await manager('PATCH', `/admin/members/${own.id}`, { role })).status, 403, role)
        const invitation = { email: 'friend@example.com', role, project: 'research' }
        assert.equal((await manager('POST', '/admin/invitations', invitation)).status, 403, role)
      }
      const above = await holding({ role: 'owner', project: 'research' })
      const { id: ofOwner } = (await above('GET', '/admin/me')).body
      const [higher] = (await manager('GET', `/admin/members?user=${ofOwner}`)).body.items
      assert.equal((await manager('DELETE', `/admin/members/${higher.id}`)).status, 403)
    })

    test('export what they see, whatever their role is, and the audit log says what they asked for', async () => {
      assert.equal((await admin('POST', '/admin/organizations', { name: 'Acme', id: 'acme' })).status, 201)
      const { keyId, key } = await member()
      await used(key)
      const places = [
        ...['manager', 'auditor', 'billing', 'member'].map((role) => ({ role, project: 'research' })),
        ...['owner', 'admin', 'auditor', 'billing'].flatMap((role) => [
          { role, organization: 'acme' },
          { role, organization: 'default' },
        ]),
      ]
      for (const place of places) {
        const client = await holding(place)
        const says = JSON.stringify(place)
        const sees = !('organization' in place && place.organization === 'acme') && place.role !== 'member'
        for (const path of ['requests?format=csv', 'requests?format=jsonl', 'usage?format=csv&group_by=key']) {
          const { status, body } = await client('GET', `/admin/${path}&key=${keyId}`)
          assert.deepEqual(
            [status, String(body).includes(keyId)],
            [200, sees],
            `${says} ${path} ${JSON.stringify(body)}`,
          )
        }
      }
      const { body: log } = await admin('GET', '/admin/audit?action=requests.export&limit=1')
      assert.deepEqual(log.items[0].after, { format: 'jsonl', key: keyId })
    })

    test('have keys that can do what the project can do, whatever they ask for', async () => {
      const { client, key, keyId } = await member()
      assert.equal((await ask(key, 'sandbox/tools')).status, 403)
      assert.equal((await ask(key, 'sandbox/echo')).status, 200)
      for (const wider of [
        { policy: { models: ['*'] } },
        { policy: null },
        { user: 'x' },
        { user: null },
        { owner: 'x' },
      ]) {
        const { status } = await client('PATCH', `/admin/keys/${keyId}`, wider)
        assert.ok([403, 422].includes(status), `${JSON.stringify(wider)} ${status}`)
      }
      assert.equal((await ask(key, 'sandbox/tools')).status, 403)
      assert.equal((await client('PATCH', `/admin/keys/${keyId}`, { project: 'default' })).status, 403)
    })

    test('spend what the project has left, and cannot raise it', async () => {
      const { client, key } = await member()
      const limit = { applies_to: 'project:research', unit: 'requests', limit: 1, window: 'day' }
      const { body } = await admin('POST', '/admin/rate-limits', limit)
      assert.deepEqual([(await ask(key)).status, (await ask(key)).status], [200, 429])
      assert.equal((await client('PATCH', `/admin/rate-limits/${body.id}`, { limit: 9 })).status, 404)
      assert.equal((await client('POST', `/admin/rate-limits/${body.id}/reset`)).status, 404)
      assert.equal((await client('POST', '/admin/rate-limits', { ...limit, limit: 9 })).status, 403)
      assert.equal((await admin('DELETE', `/admin/rate-limits/${body.id}`)).status, 204)
    })

    test('that are service accounts have tokens until they expire, are revoked or the account is disabled', async () => {
      const { id, client } = await member()
      const expires_at = new Date(Date.now() + YEAR_MS).toISOString()
      const made = await admin('POST', `/admin/users/${id}/tokens`, { name: 'a year', expires_at })
      const withToken = clientOf(gateway, { authorization: `Bearer ${made.body.token}` })
      const { body: list } = await admin('GET', `/admin/users/${id}/tokens`)
      const listed = list.items.find((token: { id: string }) => token.id === made.body.id)
      assert.ok(!JSON.stringify(list).includes(made.body.token) && listed.expires_at === expires_at)
      assert.equal((await withToken('GET', '/admin/me')).body.kind, 'service')
      lateBy = YEAR_MS
      assert.deepEqual(
        [(await withToken('GET', '/admin/me')).status, (await client('GET', '/admin/me')).status],
        [401, 200],
      )
      lateBy = 0
      assert.equal((await admin('DELETE', `/admin/users/${id}/tokens/${made.body.id}`)).status, 204)
      assert.equal((await withToken('GET', '/admin/me')).status, 401)
      assert.equal((await admin('PATCH', `/admin/users/${id}`, { disabled: true })).status, 200)
      assert.equal((await client('GET', '/admin/me')).status, 401)
      assert.equal((await admin('PATCH', `/admin/users/${id}`, { disabled: false })).status, 200)
      assert.equal((await client('GET', '/admin/me')).status, 200, 'tokens of an account that is enabled again work')
    })

    /** A service account that is a member, with a key of its own that it has made itself. */
    async function member() {
      const { body } = await admin('POST', '/admin/users', { name: 'robot', role: 'member', project: 'research' })
      const { token } = (await admin('POST', `/admin/users/${body.id}/tokens`, { name: 't' })).body
      const client = clientOf(gateway, { authorization: `Bearer ${token}` })
      const made = await client('POST', '/admin/keys', { name: 'own' })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return { id: body.id as string, client, key: made.body.key as string, keyId: made.body.id as string }
    }

    async function holding(place: { role: string; project?: string; organization?: string }): Promise<Client> {
      const { status, body } = await admin('POST', '/admin/users', { name: 'robot', ...place })
      assert.equal(status, 201, JSON.stringify([place, body]))
      const { token } = (await admin('POST', `/admin/users/${body.id}/tokens`, { name: 't' })).body
      return clientOf(gateway, { authorization: `Bearer ${token}` })
    }

    function ask(key: string, model = 'sandbox/echo') {
      return chatClient(gateway.url).whole({ model, ...HELLO }, { headers: { authorization: `Bearer ${key}` } })
    }

    async function used(key: string) {
      const job = (await taskClient(gateway.url, key).submit(TASK)).body.job_id
      return { call: (await ask(key)).headers.get('x-request-id')!, job }
    }
  })
