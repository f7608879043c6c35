import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { insertUsage } from '../../../src/platform/store/ledger/usage.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { ledgerLine } from '../../fakes/ledger-line.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, firstOwner, invited } from '../../gateway/people-under-test.ts'

// A text of one person that a store cannot read as JSON does not break the requests of others.

const ODD_TEXTS = ['a\0b', 'a\ud800b', '\\u0000']

for (const { name, skip, newStore } of await storeKinds())
  describe(`odd texts on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let owner: Client
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore })
      closing.defer(() => gateway.close())
      owner = await firstOwner(gateway)
    })
    after(() => closing.disposeAsync())

    test('in a limit that a member has set', async () => {
      await owner('POST', '/admin/projects', { id: 'one', name: 'one' })
      await owner('POST', '/admin/projects', { id: 'two', name: 'two' })
      const member = await invited(owner, gateway, { email: 'm@example.com', role: 'member', project: 'one' })
      const key = (await member('POST', '/admin/keys', { name: 'k', project: 'one' })).body.id
      const limit = { applies_to: `key:${key}`, limit: 5, window: 'day' }
      for (const odd of ODD_TEXTS) {
        const body = { ...limit, models: [odd], tags: { [odd]: odd } }
        assert.equal((await member('POST', '/admin/budgets', body)).status, 201, JSON.stringify(odd))
      }
      assert.equal((await owner('POST', '/admin/budgets', { ...limit, limit: 1 })).status, 201)
      assert.equal((await owner('DELETE', '/admin/projects/two')).status, 204)
    })

    test('in what the request log has of a call', async () => {
      const { db, now } = gateway.gateway.services.calls
      const notes = ODD_TEXTS.map((odd): [string, string, string] => [odd, 'dropped', odd])
      await insertUsage(db, [{ ...ledgerLine({ id: 'call-1', at: now(), attempts: 2 }), detail: { n: notes } }])
      for (const filter of ['true', 'false']) {
        const { status, body } = await owner('GET', `/admin/requests?fallback=${filter}`)
        assert.equal(status, 200, JSON.stringify(body))
      }
    })
  })
