import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { CreatedKey, KeyList, KeySummary } from '../../../src/contract/admin/keys.ts'
import { isWellFormed } from '../../../src/tenants/access/api-keys.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

const UNKNOWN = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

describe('keys that are changed', () => {
  let gateway: GatewayUnderTest
  let admin: AdminClient
  let lateBy = 0
  before(async () => {
    gateway = await startGateway({ overrides: { now: () => Date.now() + lateBy } })
    admin = adminClient(gateway.adminUrl)
  })
  after(() => gateway.close())

  test('PATCH changes what it names, at once, and nothing else', async () => {
    const { key, ...made } = await admin.issue({ owner: 'team', scopes: ['files'] })
    assert.equal(await models(key), 403)
    const { status, body } = await admin.patch<KeySummary>(`/admin/keys/${made.id}`, {
      scopes: ['models'],
      name: 'new',
    })
    assert.equal(status, 200)
    assert.deepEqual(body, { ...made, name: 'new', scopes: ['models'] })
    assert.equal(await models(key), 200)
    const change = { scopes: null, region: 'eu', expires_at: '2199-01-01T00:00:00.000Z', allowed_ips: ['127.0.0.0/8'] }
    const all = (await admin.patch<KeySummary>(`/admin/keys/${made.id}`, change)).body
    assert.deepEqual(all, { ...made, ...change, name: 'new', last_used_at: all.last_used_at })
    assert.deepEqual((await admin.patch<KeySummary>(`/admin/keys/${made.id}`, {})).body.expires_at, change.expires_at)
    const reset = (await admin.patch<KeySummary>(`/admin/keys/${made.id}`, { expires_at: null, allowed_ips: null }))
      .body
    assert.deepEqual([reset.expires_at, reset.allowed_ips, reset.region], [null, null, 'eu'])
    const shown = (await admin.get<KeySummary>(`/admin/keys/${made.id}`)).body
    assert.deepEqual(shown, { ...reset, month_cost: 0, month_requests: 0 })
  })

  test('PATCH refuses what a new key would not get, and what must not change', async () => {
    const { id } = await admin.issue()
    const rows: [object, (string | number)[]][] = [
      [{ name: '' }, ['name']],
      [{ name: null }, ['name']],
      [{ region: null }, ['region']],
      [{ scopes: [] }, ['scopes']],
      [{ scopes: ['caht'] }, ['scopes', 0]],
      [{ expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
      [{ allowed_ips: [] }, ['allowed_ips']],
      [{ allowed_ips: ['127.0.0.0/8', 'here'] }, ['allowed_ips', 1]],
      [{ owner: 'other' }, ['owner']],
      [{ kind: 'sandbox' }, ['kind']],
      [{ expire_at: null }, ['expire_at']],
    ]
    for (const [body, loc] of rows) {
      const reply = await admin.patch<Refusal>(`/admin/keys/${id}`, body)
      assert.deepEqual([reply.status, reply.body.detail[0]?.loc], [422, ['body', ...loc]], JSON.stringify(body))
    }
  })

  test('a rotated key keeps its id and its owner; the old secret works for the overlap and then no more', async () => {
    const { key: old, ...made } = await admin.issue({ owner: 'team', name: 'rotated' })
    const { status, body } = await rotate(made.id, { overlap_seconds: 60 })
    const { key, last4, former_valid_until, ...same } = body
    assert.equal(status, 200)
    assert.ok(isWellFormed(key) && key !== old && key.endsWith(last4))
    assert.deepEqual(
      same,
      (({ last4, former_valid_until, ...rest }) => rest)({ ...made, last_used_at: null, revoked_at: null }),
    )
    assert.ok(Date.parse(former_valid_until!) > Date.now())
    assert.deepEqual([await models(old), await models(key)], [200, 200])
    const chat = chatClient(gateway.url)
    for (const secret of [old, key])
      await chat.whole({ model: 'sandbox/echo', ...HELLO }, { headers: { authorization: `Bearer ${secret}` } })
    await gateway.gateway.services.calls.ledger.flush()
    const usage = await admin.get<{ items: { group: string; requests: number }[] }>('/admin/usage?group_by=key')
    assert.equal(usage.body.items.find(({ group }) => group === made.id)?.requests, 2)
    lateBy = 61_000
    assert.deepEqual([await models(old), await models(key)], [401, 200])
    const listed = (await admin.get<KeyList>('/admin/keys')).body.items.filter(({ name }) => name === 'rotated')
    assert.deepEqual([listed.length, listed[0]!.former_valid_until], [1, null])
    lateBy = 0
  })

  test('a rotation without an overlap refuses every earlier secret at once, and a revocation all of them', async () => {
    const { key: first, id } = await admin.issue()
    const second = (await rotate(id, { overlap_seconds: 600 })).body.key
    const third = (await rotate(id, {})).body.key
    assert.deepEqual([await models(first), await models(second), await models(third)], [401, 401, 200])
    const fourth = (await rotate(id, { overlap_seconds: 600 })).body.key
    await admin.delete(`/admin/keys/${id}`)
    for (const key of [first, second, third, fourth]) assert.equal(await models(key), 401)
  })

  test('an unknown key answers 404, a revoked one 409, and an overlap is 0 to 30 days', async () => {
    const { id } = await admin.issue()
    for (const overlap_seconds of [-1, 2_592_001, 1.5, 'long'])
      assert.equal((await rotate(id, { overlap_seconds })).status, 422, String(overlap_seconds))
    assert.equal((await rotate(id, { overlap: 1 })).status, 422)
    await admin.delete(`/admin/keys/${id}`)
    for (const [one, status] of [
      [id, 409],
      [UNKNOWN, 404],
    ] as const) {
      assert.equal((await admin.patch(`/admin/keys/${one}`, { name: 'x' })).status, status)
      assert.equal((await rotate(one, {})).status, status)
    }
    assert.equal((await admin.get(`/admin/keys/${UNKNOWN}`)).status, 404)
    assert.equal((await admin.get<KeySummary>(`/admin/keys/${id}`)).body.revoked_at === null, false)
  })

  test('a key with allowed_ips works from those addresses only, also while it is in use', async () => {
    const { key, id, allowed_ips } = await admin.issue({ allowed_ips: ['127.0.0.1', '127.1.0.0/16'] })
    assert.deepEqual(allowed_ips, ['127.0.0.1', '127.1.0.0/16'])
    const from = (localAddress: string) => models(key, localAddress)
    assert.deepEqual([await from('127.0.0.1'), await from('127.1.2.3'), await from('127.2.0.1')], [200, 200, 403])
    await admin.patch(`/admin/keys/${id}`, { allowed_ips: ['127.2.0.0/16'] })
    assert.deepEqual([await from('127.0.0.1'), await from('127.2.0.1')], [403, 200])
    await admin.patch(`/admin/keys/${id}`, { allowed_ips: null })
    assert.equal(await from('127.0.0.1'), 200)
    assert.equal((await admin.post<Refusal>('/admin/keys', { name: 'x', allowed_ips: ['10.0.0.1/8'] })).status, 422)
  })

  test('an IPv4 client on a socket for both families is the same client', async () => {
    const { key } = await admin.issue({ allowed_ips: ['10.0.0.0/8', '2001:db8::/32'] })
    const headers = { authorization: `Bearer ${key}` }
    const from = async (remoteAddress: string) =>
      (await gateway.gateway.api.inject({ url: '/v3/models', headers, remoteAddress })).statusCode
    assert.deepEqual([await from('::ffff:10.1.2.3'), await from('::ffff:11.1.2.3')], [200, 403])
    assert.deepEqual([await from('2001:db8::5'), await from('2001:db9::5')], [200, 403])
  })

  function rotate(id: string, body: object) {
    return admin.post<CreatedKey>(`/admin/keys/${id}/rotate`, body)
  }

  /** Every address of 127.0.0.0/8 belongs to this machine. */
  function models(key: string, localAddress = '127.0.0.1'): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    return new Promise((resolve, reject) => {
      const call = request(`${gateway.url}/v3/models`, { headers, localAddress, agent: false }, (reply) => {
        reply.resume().on('end', () => resolve(reply.statusCode!))
      })
      call.on('error', reject).end()
    })
  }
})
