import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROLES } from '../../src/contract/admin/roles.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { EXAMPLES } from '../../src/http/openapi/examples.ts'
import type { Route } from '../../src/http/services.ts'
import { rowOf } from '../../src/people/roles.ts'
import { storeKinds } from '../fakes/stores.ts'
import { chatClient, HELLO } from './chat-client.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type Client, clientOf, operator } from './people-under-test.ts'
import { taskClient } from './task-client.ts'

// Two organizations beside `default`: nothing of one can be seen, used or changed with any role on another.

type Things = Awaited<ReturnType<typeof furnish>>

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`organizations on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: Client
    let acme: Things
    let other: Things
    const closing = new AsyncDisposableStack()

    before(async () => {
      const store = await newStore()
      gateway = await startGateway({ env: store.databaseUrl ? { DATABASE_URL: store.databaseUrl } : {} })
      closing.defer(() => store.remove())
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      acme = await furnish('acme', gateway)
      other = await furnish('other', gateway)
    })
    after(() => closing.disposeAsync())

    test('no route shows or changes anything of another organization, whatever the role', async () => {
      await gateway.gateway.context.ledger.flush()
      const before = await stateOf(other, admin)
      const strangers = await withRoles(gateway, [{}, { organization: 'acme' }, { project: acme.project }])
      for (const route of ADMIN_ROUTES.filter(isOfOrganizations)) {
        const answers = strangers.map(async ([who, stranger]) => {
          const { status, body } = await stranger(route.method, pathOf(route, other), bodyOf(route, other))
          // A bulk action over a filter finds nothing of others.
          const isNothing = status === 200 && body.count === 0
          assert.ok(
            isNothing || [403, 404].includes(status),
            `${who}: ${nameOf(route)} ${status} ${JSON.stringify(body)}`,
          )
        })
        await Promise.all(answers)
      }
      assert.deepEqual(await stateOf(other, admin), before)
    })

    test('what belongs to another organization answers as what does not exist', async () => {
      const nothing = Object.fromEntries(Object.entries(other).map(([name, id]) => [name, unknownLike(id)])) as Things
      const strangers = await withRoles(gateway, [{ organization: 'acme' }, { project: acme.project }])
      const answerOf = async (stranger: Client, route: Route, things: Things) => {
        const { status, body } = await stranger(route.method, pathOf(route, things), bodyOf(route, things))
        return `${status} ${body?.error?.message ?? ''}`
      }
      for (const route of ADMIN_ROUTES.filter(isOfOrganizations))
        await Promise.all(
          strangers.map(async ([who, stranger]) => {
            const answers = [await answerOf(stranger, route, other), await answerOf(stranger, route, nothing)]
            assert.equal(answers[0], answers[1], `${who}: ${nameOf(route)}`)
          }),
        )
    })

    test('no list has anything of another organization', async () => {
      const strangers = await withRoles(gateway, [{}, { organization: 'acme' }, { project: acme.project }])
      for (const path of LISTS)
        for (const [who, stranger] of strangers) {
          const { status, body } = await stranger('GET', path)
          assert.ok(status === 200 || status === 403, `${who}: ${path} ${status}`)
          for (const id of Object.values(other))
            assert.ok(!JSON.stringify(body).includes(id), `${who}: ${path} has ${id}`)
        }
    })

    test('an owner has everything of the own organization, and only that', async () => {
      const [[, owner]] = (await withRoles(gateway, [{ organization: 'acme' }])) as [[string, Client]]
      const found: Record<string, boolean> = {}
      for (const path of LISTS) {
        const { status, body } = await owner('GET', path)
        assert.equal(status, 200, path)
        found[path] = Object.values(acme).some((id) => JSON.stringify(body).includes(id))
      }
      assert.deepEqual(found, Object.fromEntries(LISTS.map((path) => [path, true])))
      for (const route of ADMIN_ROUTES.filter(
        (one) =>
          isOfOrganizations(one) && one.method === 'GET' && one.path.includes('{') && !one.path.endsWith('/content'),
      ))
        assert.equal((await owner('GET', pathOf(route, acme))).status, 200, nameOf(route))
      const { body: me } = await owner('GET', '/admin/me')
      assert.ok(me.permissions.every(({ all, organizations }: Right) => !all && organizations.join() === 'acme'))
      assert.ok(!me.permissions.some(({ permission }: Right) => permission === 'config.read'))
    })

    test('what an owner creates without a name of an organization belongs to the own one', async () => {
      const [[, owner]] = (await withRoles(gateway, [{ organization: 'acme' }])) as [[string, Client]]
      const project = await owner('POST', '/admin/projects', { name: 'mine' })
      const user = await owner('POST', '/admin/users', { name: 'robot', role: 'member' })
      const invitation = await owner('POST', '/admin/invitations', { email: 'new@example.com', role: 'admin' })
      assert.deepEqual(
        [project, user, invitation].map(({ status, body }) => [status, body.organization]),
        [201, 201, 201].map((status) => [status, 'acme']),
      )
      const key = await owner('POST', '/admin/keys', { name: 'k', project: project.body.id, user: user.body.id })
      assert.equal(key.status, 201)
      assert.equal(
        (await owner('POST', '/admin/keys', { name: 'k' })).status,
        403,
        'the project of nobody is of default',
      )
      assert.equal((await owner('POST', '/admin/keys', { name: 'k', owner: other.project })).status, 403)
    })

    test('whoever creates an organization is its first owner, and nobody else of default reaches it', async () => {
      const [[, one], [, two]] = (await withRoles(gateway, [{}, {}])) as [[string, Client], [string, Client]]
      assert.equal((await one('POST', '/admin/organizations', { name: 'New', id: 'new' })).status, 201)
      assert.equal((await one('GET', '/admin/organizations/new')).status, 200)
      assert.equal((await two('GET', '/admin/organizations/new')).status, 404)
      const { body } = await one('GET', '/admin/organizations')
      assert.deepEqual(body.items.map(({ id }: { id: string }) => id).sort(), ['default', 'new'])
      assert.equal((await two('DELETE', '/admin/organizations/new')).status, 404)
      assert.equal((await one('DELETE', '/admin/organizations/new')).status, 204)
      const { body: me } = await one('GET', '/admin/me')
      assert.deepEqual(me.memberships, [{ organization: 'default', project: null, role: 'owner' }])
    })

    test('a project takes its members along, and people of the former organization lose their keys in it', async () => {
      const { body: project } = await admin('POST', '/admin/projects', { name: 'moving', organization: 'acme' })
      const stays = await admin('POST', '/admin/users', { name: 'a', role: 'member', project: project.id })
      const leaves = await admin('POST', '/admin/users', { name: 'b', role: 'member', organization: 'acme' })
      const keyOf = async (user: string) =>
        (await admin('POST', '/admin/keys', { name: 'k', project: project.id, user })).body.id
      const [kept, lost] = [await keyOf(stays.body.id), await keyOf(leaves.body.id)]
      assert.equal((await admin('PATCH', `/admin/projects/${project.id}`, { organization: 'other' })).status, 200)
      const revoked = async (id: string) => (await admin('GET', `/admin/keys/${id}`)).body.revoked_at !== null
      assert.deepEqual([await revoked(kept), await revoked(lost)], [false, true])
      const { body: user } = await admin('GET', `/admin/users/${stays.body.id}`)
      assert.deepEqual(user.memberships, [{ organization: 'other', project: project.id, role: 'member' }])
    })

    test('roles on a project, and invitations to it, end with the project', async () => {
      const { body: project } = await admin('POST', '/admin/projects', { name: 'short' })
      const account = await admin('POST', '/admin/users', { name: 'c', role: 'manager', project: project.id })
      const { body } = await admin('POST', `/admin/users/${account.body.id}/tokens`, { name: 't' })
      const invitation = { email: 'late@example.com', role: 'member', project: project.id }
      const { token } = (await admin('POST', '/admin/invitations', invitation)).body
      assert.equal((await admin('DELETE', `/admin/projects/${project.id}`)).status, 204)
      const me = await clientOf(gateway, { authorization: `Bearer ${body.token}` })('GET', '/admin/me')
      assert.deepEqual(me.body.memberships, [])
      const late = { token, name: 'Late', password: 'a password that is long' }
      assert.equal((await clientOf(gateway)('POST', '/admin/invitations/accept', late)).status, 409)
      assert.deepEqual((await admin('GET', `/admin/members?project=${project.id}`)).body.items, [])
    })

    test('every organization keeps an owner', async () => {
      const people = ['o1@example.com', 'o2@example.com'].map(async (email) => {
        const body = { kind: 'person', name: email, email, role: 'owner', organization: 'acme' }
        return (await admin('POST', '/admin/users', body)).body.id as string
      })
      const [one, two] = (await Promise.all(people)) as [string, string]
      assert.equal((await admin('DELETE', `/admin/users/${one}`)).status, 204)
      assert.equal((await admin('DELETE', `/admin/users/${two}`)).status, 409, 'the last owner of acme')
      const [member] = (await admin('GET', `/admin/members?user=${two}`)).body.items
      assert.equal((await admin('PATCH', `/admin/members/${member.id}`, { role: 'admin' })).status, 409)
    })
  })
}

type Right = { permission: string; all: boolean; organizations: string[] }

const LISTS = [
  ...[
    'organizations',
    'projects',
    'users',
    'members',
    'invitations',
    'keys',
    'budgets',
    'rate-limits',
    'requests',
    'jobs',
  ],
  ...['usage?group_by=project', 'usage?group_by=key', 'usage?group_by=organization'],
].map((path) => `/admin/${path}`)

const TASK = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }

/** An organization with one of everything. Returns the ids. */
async function furnish(organization: string, gateway: GatewayUnderTest) {
  const admin = operator(gateway)
  const made = async (path: string, body: object) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await made('/admin/organizations', { name: `The ${organization}`, id: organization })
  const project = (await made('/admin/projects', { name: `p of ${organization}`, organization })).id as string
  const user = (await made('/admin/users', { name: 'robot', role: 'member', project })).id as string
  const token = (await made(`/admin/users/${user}/tokens`, { name: 't' })).id as string
  const key = await made('/admin/keys', { name: 'k', project, user })
  const invitation = { email: `guest@${organization}.example`, role: 'member', project }
  const limit = { applies_to: `project:${project}`, limit: 1_000, window: 'day' }
  const { headers } = await chatClient(gateway.url).whole(
    { model: 'sandbox/echo', ...HELLO },
    { headers: { authorization: `Bearer ${key.key}` } },
  )
  return {
    ...{ organization, project, user, token, key: key.id as string },
    member: (await admin('GET', `/admin/members?user=${user}`)).body.items[0].id as string,
    invitation: (await made('/admin/invitations', invitation)).id as string,
    budget: (await made('/admin/budgets', limit)).id as string,
    wide: (await made('/admin/budgets', { ...limit, applies_to: `organization:${organization}` })).id as string,
    rate: (await made('/admin/rate-limits', { ...limit, applies_to: `user:${user}`, unit: 'requests' })).id as string,
    call: headers.get('x-request-id')!,
    job: (await taskClient(gateway.url, key.key).submit(TASK)).body.job_id,
  }
}

/** A service account for each role in each of these places. The first role is that of owners. */
async function withRoles(gateway: GatewayUnderTest, places: readonly object[]): Promise<[string, Client][]> {
  const admin = operator(gateway)
  const all = ROLES.flatMap((role) => places.map((place) => ({ role, place })))
  return await Promise.all(
    all.map(async ({ role, place }): Promise<[string, Client]> => {
      const { body: account } = await admin('POST', '/admin/users', { name: role, role, ...place })
      const { body } = await admin('POST', `/admin/users/${account.id}/tokens`, { name: 't' })
      return [`${role} ${JSON.stringify(place)}`, clientOf(gateway, { authorization: `Bearer ${body.token}` })]
    }),
  )
}

/** An id of the same form that nothing has. */
function unknownLike(id: string): string {
  return /^[0-9a-f]{8}-/.test(id) ? '00000000-0000-4000-8000-000000000000' : 'nothing'
}

/** Everything that was made, as the operator sees it. */
async function stateOf(things: Things, admin: Client): Promise<unknown[]> {
  const { organization, project, user, key, member, invitation, budget, wide, rate } = things
  const paths = [`organizations/${organization}`, `projects/${project}`, `users/${user}`, `users/${user}/tokens`]
  paths.push(`keys/${key}`, `members/${member}`, `invitations/${invitation}`, `budgets/${budget}`, `budgets/${wide}`)
  paths.push(`rate-limits/${rate}`, `members?project=${project}`)
  const bodies = await Promise.all(paths.map(async (path) => (await admin('GET', `/admin/${path}`)).body))
  // What its owner has used before is counted later.
  const counted = { last_used_at: null, left: null, reserved: null, spent: null, buckets: null }
  const month = { month_requests: null, month_cost: null }
  return bodies.map((body) => ({ ...body, ...counted, ...month }))
}

/** Routes about something that belongs to an organization: named in the path, or in the body. */
function isOfOrganizations(route: Route): boolean {
  if (route.access !== 'admin' || route.permission === 'self') return false
  if (rowOf(route.permission).place === 'installation') return false
  // The organizations of this test have no jobs and webhooks.
  if (/^\/admin\/(deliveries|jobs)\b/.test(route.path)) return false
  return route.path.includes('{') || route.method === 'POST'
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function pathOf({ path }: Route, things: Things): string {
  const { organization, project, user, key, token, member, invitation, budget, rate, call } = things
  const ids: Record<string, string> = { users: user, keys: key, members: member, invitations: invitation }
  const limit_id = path.startsWith('/admin/budgets') ? budget : rate
  const id = ids[path.split('/')[2]!] ?? 'unknown'
  const names: Record<string, string> = {
    organization,
    project,
    limit_id,
    id,
    token_id: token,
    call_id: call,
    end_user: 'e',
    feature: 'text',
    subfeature: 'moderation',
  }
  const query = path.startsWith('/admin/playground/') ? `?kind=sandbox&project=${encodeURIComponent(project)}` : ''
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? 'unknown')) + query
}

/** The example, about the other organization. */
function bodyOf(route: Route, { organization, project, user }: Things): object | undefined {
  if (!route.body) return undefined
  const { title = '', properties = {} } = route.body as unknown as { title?: string; properties?: object }
  const example = EXAMPLES[title] as object
  const isNew = route.method === 'POST' && !route.path.includes('{')
  const places = { organization, project, user, applies_to: `project:${project}`, role: 'member' }
  const named = Object.entries(places).filter(([name]) => isNew && name in properties)
  return { ...example, ...Object.fromEntries(named) }
}
