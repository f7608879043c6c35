import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { storeKinds } from '../../fakes/stores.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { firstOwner, invited, operator } from '../../gateway/people-under-test.ts'

const PATH = '/admin/keys/preview'

for (const kind of await storeKinds()) {
  describe(`what a key could use, on ${kind.name}`, { skip: kind.skip }, async () => {
    if (kind.skip) return
    const gateway = await startGateway({ newStore: kind.newStore })
    const admin = operator(gateway)
    after(() => gateway.close())

    test('scopes, region and the policy of the project count together, and nothing is created', async () => {
      const all = await admin('POST', PATH, {})
      const scoped = await admin('POST', PATH, { scopes: ['chat', 'model:sandbox/*'] })
      assert.deepEqual([all.status, scoped.status], [200, 200])
      assert.equal(all.body.endpoints.length, 7)
      assert.deepEqual(scoped.body.endpoints, ['chat'])
      assert.ok(scoped.body.models < all.body.models && scoped.body.available <= scoped.body.models)
      assert.ok(
        scoped.body.examples.every((id: string) => id.startsWith('sandbox/')),
        scoped.body.examples,
      )
      await admin('POST', '/admin/projects', { id: 'strict', name: 'Strict', policy: { models: ['openai/*'] } })
      const both = await admin('POST', PATH, { project: 'strict', scopes: ['model:sandbox/*'] })
      assert.deepEqual([both.body.models, both.body.examples], [0, []])
      assert.deepEqual((await admin('GET', '/admin/keys')).body.items, [])
    })

    test('what a new key would be refused for is refused, and so are projects of others', async () => {
      for (const body of [{ scopes: ['chatt'] }, { scopes: [] }, { project: 'nowhere' }, { regions: 'eu' }])
        assert.equal((await admin('POST', PATH, body)).status, 422, JSON.stringify(body))
      const owner = await firstOwner(gateway)
      const member = await invited(owner, gateway, { email: 'mia@example.com', role: 'member', project: 'strict' })
      assert.equal((await member('POST', PATH, { project: 'strict' })).status, 200)
      assert.equal((await member('POST', PATH, {})).status, 200)
      assert.equal((await member('POST', PATH, { project: 'default' })).status, 403)
    })
  })
}
