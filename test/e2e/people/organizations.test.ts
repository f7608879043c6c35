import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { EXAMPLES } from '../../../src/http/openapi/examples.ts'
import type { Route } from '../../../src/http/route.ts'
import { rowOf } from '../../../src/tenants/people/roles.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { furnish, someStrangers, type Stranger, type Things, withRole, withRoles } from './organizations-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// Two organizations beside `default`: nothing of one can be seen, used or changed with any role on another. Their lists are in
// organization-lists.test.ts.

for (const [place, { name, skip, newStore }] of (await storeKinds()).entries()) {
  describe(`organizations on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: Client
    let acme: Things
    let other: Things
    const closing = new AsyncDisposableStack()

    before(async () => {
      const receiver = await startReceiver()
      closing.defer(() => receiver.stop())
      gateway = await startGateway({ newStore, env: { ALLOW_NETWORKS: '127.0.0.0/8' } })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      acme = await furnish('acme', gateway, receiver.url)
      other = await furnish('other', gateway, receiver.url)
    })
    after(() => closing.disposeAsync())

    test('no route shows or changes anything of another organization, which answers as what does not exist', async () => {
      await gateway.gateway.services.calls.ledger.flush()
      const before = await stateOf(other, admin)
      const nothing = Object.fromEntries(Object.entries(other).map(([name, id]) => [name, unknownLike(id)])) as Things
      const within = await withRoles(gateway, [{ organization: 'acme' }, { project: acme.project }])
      const strangers = [...within, ...(await withRoles(gateway, [{}]))]
      for (const [index, route] of ADMIN_ROUTES.filter(isOfOrganizations).entries())
        await Promise.all(
          someStrangers(strangers, index, place).map(async (stranger) => {
            const answer = await answerOf(stranger, route, other)
            // A bulk action over a filter finds nothing of others.
            const isNothing = answer.startsWith('200 ') && answer.includes('"count":0')
            assert.ok(isNothing || /^40[34] /.test(answer), answer)
            if (within.includes(stranger)) assert.equal(await answerOf(stranger, route, nothing), answer)
          }),
        )
      assert.deepEqual(await stateOf(other, admin), before)
    })

    test('an owner has everything of the own organization, and only that', async () => {
      const [, owner] = await withRole(gateway, 'owner', { organization: 'acme' })
      for (const route of ADMIN_ROUTES.filter(
        (one) =>
          isOfOrganizations(one) &&
          one.method === 'GET' &&
          one.path.includes('{') &&
          !one.path.endsWith('/content') &&
          // A model belongs to no organization.
          one.path !== '/admin/models/{model}',
      )) {
        // The playground does not show what another person has submitted.
        const isOfOthers = route.path.startsWith('/admin/playground/universal-ai/async/')
        assert.equal((await owner('GET', pathOf(route, acme))).status, isOfOthers ? 404 : 200, nameOf(route))
      }
      const { body: me } = await owner('GET', '/admin/me')
      assert.ok(me.permissions.every(({ all, organizations }: Right) => !all && organizations.join() === 'acme'))
      assert.ok(!me.permissions.some(({ permission }: Right) => permission === 'config.read'))
    })

    test('what an owner creates without a name of an organization belongs to the own one', async () => {
      const [, owner] = await withRole(gateway, 'owner', { organization: 'acme' })
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
        'a key without a project belongs to default',
      )
      assert.equal((await owner('POST', '/admin/keys', { name: 'k', owner: other.project })).status, 403)
    })

    test('the user who creates an organization is its first owner, and no other user of default reaches it', async () => {
      const [[, one], [, two]] = [await withRole(gateway, 'owner', {}), await withRole(gateway, 'owner', {})]
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
        const { id } = (await admin('POST', '/admin/users', body)).body
        const { token } = (await admin('POST', `/admin/users/${id}/invitation`)).body
        await clientOf(gateway)('POST', '/admin/invitations/accept', { token, password: 'a password that is long' })
        return id as string
      })
      const imported = { kind: 'person', name: 'o3', email: 'o3@example.com', role: 'owner', organization: 'acme' }
      assert.equal((await admin('POST', '/admin/users', imported)).status, 201, 'an owner who cannot sign in yet')
      const [one, two] = (await Promise.all(people)) as [string, string]
      assert.equal((await admin('DELETE', `/admin/users/${one}`)).status, 204)
      assert.equal((await admin('DELETE', `/admin/users/${two}`)).status, 409, 'the last owner of acme who can sign in')
      const [member] = (await admin('GET', `/admin/members?user=${two}`)).body.items
      assert.equal((await admin('PATCH', `/admin/members/${member.id}`, { role: 'admin' })).status, 409)
    })
  })
}

/** Its status, and what it says. The id of the request is another one each time. */
async function answerOf([who, stranger]: Stranger, route: Route, things: Things): Promise<string> {
  const { status, body } = await stranger(route.method, pathOf(route, things), bodyOf(route, things))
  return `${status} ${body?.error?.message ?? JSON.stringify(body)} (${who}: ${nameOf(route)})`
}

type Right = { permission: string; all: boolean; organizations: string[] }

/** An id of the same form that nothing has. */
function unknownLike(id: string): string {
  return /^[0-9a-f]{8}-/.test(id) ? '00000000-0000-4000-8000-000000000000' : 'nothing'
}

/** Everything that was made, as the operator sees it. */
async function stateOf(things: Things, admin: Client): Promise<unknown[]> {
  const { organization, project, user, key, member, invitation, budget, wide, rate, guardrail } = things
  const paths = [`organizations/${organization}`, `projects/${project}`, `users/${user}`, `users/${user}/tokens`]
  paths.push(`keys/${key}`, `members/${member}`, `invitations/${invitation}`, `budgets/${budget}`, `budgets/${wide}`)
  paths.push(`rate-limits/${rate}`, `guardrails/${guardrail}`, `members?project=${project}`)
  const bodies = await Promise.all(paths.map(async (path) => (await admin('GET', `/admin/${path}`)).body))
  // What its owner has used before is counted later.
  const counted = { last_used_at: null, left: null, reserved: null, spent: null, buckets: null }
  const month = { month_requests: null, month_cost: null }
  return bodies.map((body) => ({ ...body, ...counted, ...month }))
}

/** Routes about something that belongs to an organization: named in the path, or in the body. */
function isOfOrganizations(route: Route): boolean {
  if (route.access !== 'admin' || route.permission === 'self') return false
  if (rowOf(route.permission).level === 'installation') return false
  // It sends to an address, and shows no data of an organization.
  if (route.path === '/admin/deliveries/test') return false
  // It checks a text that is sent with it.
  if (route.path === '/admin/guardrails/test') return false
  return route.path.includes('{') || route.method === 'POST'
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function pathOf({ path }: Route, things: Things): string {
  const {
    organization,
    project,
    user,
    key,
    token,
    member,
    invitation,
    budget,
    rate,
    call,
    job,
    batch,
    delivery,
    agentSession,
    guardrail,
  } = things
  const ids: Record<string, string> = { users: user, keys: key, members: member, invitations: invitation }
  ids.deliveries = delivery
  ids.batches = batch
  const limit_id = path.startsWith('/admin/budgets') ? budget : rate
  const id = ids[path.split('/')[2]!] ?? 'unknown'
  const names: Record<string, string> = {
    organization,
    project,
    limit_id,
    guardrail_id: guardrail,
    id,
    token_id: token,
    call_id: call,
    agent_session: agentSession,
    job_id: job,
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
