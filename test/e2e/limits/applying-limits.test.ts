import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, firstOwner, invited } from '../../gateway/people-under-test.ts'

// What limits a key, a person and a project is what their calls are counted against, also where the lists of limits show nothing.

type Listed = { items: { id: string }[] }

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`the limits that apply on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let owner: Client
    let tom: Client & { id: string }
    const closing = new AsyncDisposableStack()
    const idsOf = (body: Listed) => body.items.map(({ id }) => id)

    before(async () => {
      gateway = await startGateway({ newStore, overrides: { drainMs: 0 } })
      closing.defer(() => gateway.close())
      owner = await firstOwner(gateway)
      for (const project of ['Research', 'Search']) await owner('POST', '/admin/projects', { name: project })
      tom = await invited(owner, gateway, { email: 'tom@example.com', role: 'member', project: 'research' })
      const month = { limit: 25, window: 'month' }
      const budgets = [
        { id: 'company', applies_to: 'all' },
        { id: 'first-organization', applies_to: 'organization:default' },
        { id: 'research', applies_to: 'project:research' },
        { id: 'research-each', applies_to: 'project:research', per: 'user' },
        { id: 'research-images', applies_to: 'project:research', endpoints: ['images'] },
        { id: 'search', applies_to: 'project:search' },
        { id: 'tom', applies_to: `user:${tom.id}` },
      ]
      for (const budget of budgets) {
        const { status } = await owner('POST', '/admin/budgets', { ...month, ...budget })
        assert.equal(status, 201, budget.id)
      }
      const rate = { id: 'rate', applies_to: 'all', per: 'key', unit: 'requests', limit: 9, window: 'minute' }
      assert.equal((await owner('POST', '/admin/rate-limits', rate)).status, 201)
    })
    after(() => closing.disposeAsync())

    const OF_PROJECT = ['company', 'first-organization', 'research', 'research-each', 'research-images']

    test('a member is told what limits them, their project and their key, and lists nothing of others', async () => {
      assert.deepEqual(idsOf((await tom('GET', '/admin/budgets')).body), ['tom'])
      const own = (await tom('GET', '/admin/me/limits')).body
      assert.deepEqual(idsOf(own).sort(), [...OF_PROJECT, 'rate', 'tom'].sort())
      const each = own.items.find(({ id }: { id: string }) => id === 'research-each')
      assert.deepEqual([each.spent, each.left, each.buckets], [0, 25, []])
      const project = (await tom('GET', '/admin/projects/research/limits')).body
      assert.deepEqual(idsOf(project).sort(), [...OF_PROJECT, 'rate'].sort())
      const { id } = (await tom('POST', '/admin/keys', { name: 'app', project: 'research' })).body
      const { limits } = (await tom('GET', `/admin/keys/${id}/access`)).body
      assert.deepEqual(idsOf({ items: limits }).sort(), [...OF_PROJECT, 'rate', 'tom'].sort())
    })

    test('the key of a person in another project is limited there', async () => {
      const { status } = await owner('POST', '/admin/keys', { name: 'elsewhere', project: 'search', user: tom.id })
      assert.equal(status, 201)
      assert.ok(idsOf((await tom('GET', '/admin/me/limits')).body).includes('search'))
      assert.ok(idsOf((await owner('GET', `/admin/users/${tom.id}/limits`)).body).includes('search'))
    })

    test('a project or a person that the asker may not see answers as one that does not exist', async () => {
      const { id } = (await owner('GET', '/admin/me')).body
      for (const path of ['/admin/projects/search/limits', '/admin/projects/none/limits'])
        assert.equal((await tom('GET', path)).status, 404, path)
      const refused = await tom('GET', `/admin/users/${id}/limits`)
      assert.ok(refused.status === 403 || refused.status === 404)
    })
  })
}
