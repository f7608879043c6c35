import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ledgerLine } from '../../fakes/ledger-line.ts'
import { insertUsage } from '../../../src/platform/store/ledger/usage.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// What a key may use and what limits it, also before it exists; and what it has cost this month.

const NOW = Date.UTC(2026, 10, 16, 12)

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`what a key may use on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: Client
    let key: { id: string }
    const closing = new AsyncDisposableStack()

    before(async () => {
      gateway = await startGateway({ newStore, overrides: { now: () => NOW, drainMs: 0 } })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      await admin('POST', '/admin/projects', { name: 'Research', policy: { models: ['sandbox/*'] } })
      key = (
        await admin('POST', '/admin/keys', { name: 'k', project: 'research', scopes: ['chat', 'model:sandbox/echo'] })
      ).body
      await admin('POST', '/admin/budgets', { id: 'wide', applies_to: 'all', limit: 50, window: 'month' })
      await admin('POST', '/admin/budgets', {
        id: 'own',
        applies_to: 'project:research',
        per: 'key',
        limit: 5,
        window: 'day',
      })
      await admin('POST', '/admin/budgets', { id: 'other', applies_to: 'project:search', limit: 5, window: 'day' })
    })
    after(() => closing.disposeAsync())

    test('its scopes and the policy of its project decide, and every limit says where it comes from', async () => {
      const { status, body } = await admin('GET', `/admin/keys/${key.id}/access`)
      assert.deepEqual([status, body.endpoints, body.models], [200, ['chat'], ['sandbox/echo']])
      assert.deepEqual(
        body.limits.map(({ id, applies_to, owned_by, left }: Record<string, unknown>) => [
          id,
          applies_to,
          owned_by,
          left,
        ]),
        [
          ['wide', 'all', 'api', 50],
          ['own', 'project:research', 'api', 5],
        ],
      )
    })

    test('every limit of a key says who has set it and when, as the list of limits does', async () => {
      const manager = await account('manager', 'research')
      const made = await manager('POST', '/admin/budgets', { applies_to: `key:${key.id}`, limit: 9, window: 'day' })
      const { body } = await admin('GET', `/admin/keys/${key.id}/access`)
      const { items } = (await admin('GET', '/admin/budgets')).body
      const origins = (limits: { id: string; set_by: string; created_at: string | null }[]) =>
        new Map(limits.map(({ id, set_by, created_at }) => [id, `${set_by} ${created_at}`]))
      const listed = origins(items)
      for (const [id, origin] of origins(body.limits)) assert.equal(origin, listed.get(id), id)
      assert.equal(body.limits.find(({ id }: { id: string }) => id === made.body.id).set_by, 'project')
      await admin('DELETE', `/admin/budgets/${made.body.id}`)
    })

    test('the same is known of a key that does not exist yet, for those who could create it', async () => {
      const preview = (who: Client, body: object) => who('POST', '/admin/keys/preview', body)
      const { body } = await preview(admin, { project: 'research', scopes: ['chat', 'model:sandbox/e*'] })
      assert.deepEqual([body.endpoints, body.available, body.examples], [['chat'], 1, ['sandbox/echo']])
      assert.deepEqual(
        body.limits.map(({ id }: { id: string }) => id),
        ['wide', 'own'],
      )
      assert.equal((await preview(admin, { scopes: ['chats'] })).status, 422)
      assert.equal((await preview(admin, { project: 'nowhere' })).status, 422)
      const member = await account('member', 'research')
      assert.equal((await preview(member, { project: 'research' })).status, 200)
      assert.equal((await preview(member, { project: 'personal' })).status, 403)
      assert.equal((await member('GET', `/admin/keys/${key.id}/access`)).status, 404)
      const keys = (await admin('GET', '/admin/keys')).body.items
      assert.ok(!keys.some((one: { name: string }) => one.name === 'preview'))
    })

    test('the list has what keys have cost since the month began', async () => {
      const before = Date.UTC(2026, 9, 31, 23)
      await insertUsage(gateway.gateway.services.calls.db, [
        ledgerLine({ id: 'a', at: NOW, keyId: key.id, cost: 0.25 }),
        ledgerLine({ id: 'b', at: Date.UTC(2026, 10, 1), keyId: key.id, cost: 0.5 }),
        ledgerLine({ id: 'c', at: before, keyId: key.id, cost: 8 }),
        ledgerLine({ id: 'd', at: NOW, keyId: 'another', cost: 8 }),
      ])
      const { body } = await admin('GET', '/admin/keys')
      const listed = body.items.find(({ id }: { id: string }) => id === key.id)
      assert.deepEqual([listed.month_requests, listed.month_cost], [2, 0.75])
      assert.equal((await admin('GET', `/admin/keys/${key.id}`)).body.month_cost, 0.75)
    })

    async function account(role: string, project: string): Promise<Client> {
      const { body } = await admin('POST', '/admin/users', { name: role, role, project })
      const made = await admin('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
      return clientOf(gateway, { authorization: `Bearer ${made.body.token}` })
    }
  })
}
