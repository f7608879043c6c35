import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nextMillisecond, storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// Filters of the list of keys, and the revocation of everything that passes them.

for (const { name, skip, newStore } of await storeKinds())
  describe(`many keys on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: Client
    let manager: Client
    const closing = new AsyncDisposableStack()
    before(async () => {
      const store = await newStore()
      closing.defer(() => store.remove())
      gateway = await startGateway({ env: store.databaseUrl ? { DATABASE_URL: store.databaseUrl } : {} })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      for (const project of ['one', 'two']) await admin('POST', '/admin/projects', { id: project, name: project })
      const { body } = await admin('POST', '/admin/users', { name: 'm', role: 'manager', project: 'one' })
      const made = await admin('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
      manager = clientOf(gateway, { authorization: `Bearer ${made.body.token}` })
    })
    after(() => closing.disposeAsync())

    test('the list is limited by project, state and a part of the name, and refuses other filters', async () => {
      const ids = [await key('one', 'CI of 100%_done'), await key('one', 'ci of others'), await key('two', 'other')]
      await admin('DELETE', `/admin/keys/${ids[1]}`)
      assert.deepEqual(await listed('project=one'), [ids[1], ids[0]])
      assert.deepEqual(await listed('project=one&state=active'), [ids[0]])
      assert.deepEqual(await listed('project=one&state=revoked'), [ids[1]])
      assert.deepEqual(await listed('project=one&state=expired'), [])
      assert.deepEqual(await listed('name=ci%20OF'), [ids[1], ids[0]])
      assert.deepEqual(await listed('name=100%25_'), [ids[0]])
      assert.deepEqual(await listed('name=1_0'), [])
      assert.deepEqual(await listed('user=unknown'), [])
      for (const wrong of ['projekt=one', 'state=odd'])
        assert.equal((await admin('GET', `/admin/keys?${wrong}`)).status, 422, wrong)
    })

    test('all keys of a filter are revoked after exactly their count was confirmed, by actors who may revoke them', async () => {
      const ids = [await key('one', 'batch 1'), await key('one', 'batch 2'), await key('two', 'batch 3')]
      const bulk = (who: Client, more: object) =>
        who('POST', '/admin/keys/bulk', { action: 'revoke', filter: { name: 'batch' }, ...more })
      assert.deepEqual((await bulk(admin, {})).body, { count: 3, done: 0, more: true })
      assert.deepEqual((await bulk(manager, {})).body.count, 2)
      const refused = await bulk(admin, { expected_count: 2 })
      assert.deepEqual([refused.status, refused.body.error.count], [409, 3])
      assert.equal((await listed('name=batch&state=active')).length, 3)
      assert.deepEqual((await bulk(manager, { expected_count: 2 })).body, { count: 2, done: 2, more: false })
      assert.deepEqual(await listed('name=batch&state=active'), [ids[2]])
      const { items } = (await admin('GET', '/admin/audit?action=key.bulk_revoke')).body
      assert.deepEqual([items[0].after.name, items[0].after.keys], ['batch', ids.slice(0, 2)])
    })

    test('a revoked key is refused at once, and no admin key is revoked with others', async () => {
      const made = (await admin('POST', '/admin/keys', { name: 'in use', project: 'two' })).body
      const status = async () =>
        (await fetch(`${gateway.url}/v3/key`, { headers: { authorization: `Bearer ${made.key}` } })).status
      assert.equal(await status(), 200)
      const { db } = gateway.gateway.services.calls
      const adminKey = await key('two', 'of an admin')
      await db.query("UPDATE keys SET kind = 'admin' WHERE id = $1 RETURNING id", [adminKey])
      const all = { action: 'revoke', filter: {} }
      const { count } = (await admin('POST', '/admin/keys/bulk', all)).body
      const done = await admin('POST', '/admin/keys/bulk', { ...all, expected_count: count })
      assert.equal(done.body.done, count)
      assert.equal(await status(), 401)
      assert.deepEqual(await listed('state=active&name=of%20an%20admin'), [adminKey])
    })

    async function key(project: string, name_: string): Promise<string> {
      await nextMillisecond(gateway.gateway.services.calls.db)
      return (await admin('POST', '/admin/keys', { name: name_, project })).body.id
    }

    async function listed(query: string): Promise<string[]> {
      const { status, body } = await admin('GET', `/admin/keys?${query}`)
      assert.equal(status, 200, query)
      return body.items.map(({ id }: { id: string }) => id)
    }
  })
