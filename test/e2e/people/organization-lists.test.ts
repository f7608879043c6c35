import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { USAGE_GROUPS } from '../../../src/contract/admin/usage.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import type { Route } from '../../../src/http/route.ts'
import { rowOf } from '../../../src/tenants/people/roles.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { furnish, someStrangers, type Stranger, type Things, withRoles } from './organizations-under-test.ts'
import { operator } from '../../gateway/people-under-test.ts'

// Every list of the admin listener, found among its routes, shows nothing of another organization, whatever the role. A new
// list has to show something of the own one here, or it has to be named below with the reason.

/** What is asked with these beside the plain path. */
const FURTHER: Record<string, readonly string[]> = {
  '/admin/usage': [...USAGE_GROUPS.map(groupedBy), 'group_by=project&format=csv'],
  '/admin/usage/series': USAGE_GROUPS.filter((group) => !['day', 'hour'].includes(group)).map(requestsBy),
  '/admin/requests': ['format=csv', 'format=jsonl'],
  '/admin/users': ['format=csv'],
}

/** With which an owner finds ids in a list. */
const OWN: Record<string, string> = { '/admin/usage': groupedBy('key'), '/admin/usage/series': requestsBy('key') }

function groupedBy(group: string): string {
  return `group_by=${group}`
}

/** The calls of this test cost nothing. */
function requestsBy(group: string): string {
  return `${groupedBy(group)}&metric=requests`
}

/** Lists in which an owner of an organization finds no id of the things that were made in it. */
const WITHOUT_IDS: Record<string, string> = {
  '/admin/jobs/counts': 'numbers; their sum is compared',
  '/admin/overview': 'numbers, and first steps',
  '/admin/models': 'models; it names projects only where some of them may not use a model',
  '/admin/requests/live': 'what comes from now on; live-requests.test.ts is about it',
}

for (const [place, { name, skip, newStore }] of (await storeKinds()).entries())
  describe(`lists of organizations on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let acme: Things
    let other: Things
    /** Those of the first organization, and of its project. */
    let within: Stranger[]
    const closing = new AsyncDisposableStack()
    before(async () => {
      const receiver = await startReceiver()
      closing.defer(() => receiver.stop())
      gateway = await startGateway({ newStore, env: { ALLOW_NETWORKS: '127.0.0.0/8' } })
      closing.defer(() => gateway.close())
      acme = await furnish('acme-org', gateway, receiver.url)
      other = await furnish('zenith-org', gateway, receiver.url)
      await gateway.gateway.services.calls.ledger.flush()
      within = await withRoles(gateway, [{ organization: 'acme-org' }, { project: acme.project }])
    })
    after(() => closing.disposeAsync())

    test('no list has anything of another organization', async () => {
      // What belongs to the installation is for those who run it, and may name any organization.
      const besides = await withRoles(gateway, [{}])
      await eachList(LISTS, within)
      await eachList(LISTS.filter(isOfOrganizations), besides)
    })

    test('a person with roles in two organizations has in each of them only the roles given there', async () => {
      const admin = operator(gateway)
      const { body: both } = await admin('POST', '/admin/users', {
        name: 'both',
        role: 'member',
        project: acme.project,
      })
      const further = { user: both.id, role: 'member', project: other.project }
      assert.equal((await admin('POST', '/admin/members', further)).status, 201)
      await eachList(
        LISTS.filter(({ path }) => ['/admin/users', '/admin/members'].includes(path)),
        within,
      )
      for (const [who, client] of someStrangers(within, 0, place))
        assert.deepEqual(idsIn((await client('GET', `/admin/users/${both.id}`)).body, other), [], who)
    })

    test('an owner finds something of the own organization in each of them', async () => {
      const [, owner] = within[0]!
      for (const route of LISTS.filter((one) => isOfOrganizations(one) && !hasNoIds(one))) {
        const { status, body } = await owner('GET', `${route.path}?${OWN[route.path] ?? ''}`)
        assert.equal(status, 200, route.path)
        assert.ok(idsIn(body, acme).length > 0, `${route.path} has nothing of the own organization`)
      }
      const { body } = await owner('GET', '/admin/jobs/counts')
      assert.deepEqual([body.success, body.total], [1, 1])
    })

    test('what the installation has is not shown to a role on another organization', async () => {
      const lists = LISTS.filter((one) => !isOfOrganizations(one) && one.permission !== 'self')
      for (const [index, route] of lists.entries())
        await Promise.all(
          someStrangers(within, index, place).map(async ([who, client]) => {
            assert.equal((await client('GET', route.path)).status, 403, `${who}: ${route.path}`)
          }),
        )
    })

    async function eachList(routes: readonly Route[], strangers: readonly Stranger[]): Promise<void> {
      for (const [index, path] of routes.flatMap(pathsOf).entries())
        await Promise.all(
          someStrangers(strangers, index, place).map(async ([who, stranger]) => {
            const { status, body } = await stranger('GET', path)
            assert.ok(status === 200 || status === 403, `${who}: ${path} ${status} ${JSON.stringify(body)}`)
            assert.deepEqual(idsIn(body, other), [], `${who}: ${path}`)
          }),
        )
    }
  })

const LISTS = ADMIN_ROUTES.filter(({ method, access, path }) => {
  return method === 'GET' && access === 'admin' && !path.includes('{')
})

function pathsOf({ path }: Route): string[] {
  return [path, ...(FURTHER[path] ?? []).map((query) => `${path}?${query}`)]
}

function isOfOrganizations({ permission }: Route): boolean {
  return permission !== undefined && permission !== 'self' && rowOf(permission).level !== 'installation'
}

/** What the playground lists, models, tasks and MCP servers, has no ids. */
function hasNoIds({ path }: Route): boolean {
  return path in WITHOUT_IDS || path.startsWith('/admin/playground/')
}

function idsIn(body: unknown, things: Things): string[] {
  const text = JSON.stringify(body)
  return Object.values(things).filter((id) => text.includes(id))
}
