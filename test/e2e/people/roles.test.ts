import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ROLES } from '../../../src/contract/admin/roles.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { EXAMPLES, EXAMPLES_IN_PATHS } from '../../../src/http/openapi/examples.ts'
import type { Route } from '../../../src/http/route.ts'
import { someOf } from '../../soak/sample.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// Every route of the admin listener with every role, on the organization `default`, on a project and on another organization,
// exactly as docs/roles.md says. What one organization has of another is in organizations.test.ts.

const PROJECT = 'research'
const NAMES_IN_PATHS: Record<string, string> = { ...EXAMPLES_IN_PATHS, project: PROJECT }

/** Bodies that ask for nothing that is above any role. */
const BODIES: Record<string, object> = {
  'POST /admin/users': { name: 'robot' },
}

/** Where a role is held. */
const PLACES = { installation: {}, organization: { organization: 'acme' }, project: { project: PROJECT } } as const
type Place = keyof typeof PLACES
const PLACE_NAMES = Object.keys(PLACES) as Place[]

/** Every role in every place. Those that follow each other are different roles in different places. */
const HOLDERS = PLACE_NAMES.flatMap((_, turn) =>
  ROLES.map((role, index) => ({ role, index, place: PLACE_NAMES[(index + turn) % PLACE_NAMES.length]! })),
)
/** So many of them try each route under `npm test`. */
const HOLDERS_TO_TRY = 3

let gateway: GatewayUnderTest
const clients = new Map<string, Client>()
/** A member limits only own keys. */
const keysOfMembers = new Map<string, string>()
const accounts = new Map<string, string>()
before(async () => {
  gateway = await startGateway()
  const admin = operator(gateway)
  await admin('POST', '/admin/keys', { name: 'first', owner: PROJECT })
  await admin('POST', '/admin/organizations', { name: 'Acme', id: 'acme' })
  await admin('POST', '/admin/projects', { name: 'of Acme', id: `acme-${PROJECT}`, organization: 'acme' })
  for (const role of ROLES)
    for (const [place, body] of Object.entries(PLACES)) {
      const account = await admin('POST', '/admin/users', { name: role, role, ...body })
      const made = await admin('POST', `/admin/users/${account.body.id}/tokens`, { name: 'test' })
      const who = `${role} ${place}`
      accounts.set(who, account.body.id)
      const project = place === 'organization' ? `acme-${PROJECT}` : PROJECT
      const own = { name: who, project, user: account.body.id }
      if (role === 'member') keysOfMembers.set(who, (await admin('POST', '/admin/keys', own)).body.id)
      clients.set(who, clientOf(gateway, { authorization: `Bearer ${made.body.token}` }))
    }
})
after(() => gateway.close())

const page = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'roles.md'), 'utf8')
const permissions = new Map(
  tableWith('| permission |').map(([name, , place, ...reaches]) => [name!, { place, reaches }]),
)
const routes = new Map(tableWith('| route |').map(([route, permission]) => [route!, permission!]))

test('the page has every route of the admin listener, and every one of them names its permission', () => {
  assert.deepEqual([...routes.keys()], ADMIN_ROUTES.map(nameOf))
  for (const route of ADMIN_ROUTES.filter(({ path }) => path.startsWith('/admin/')))
    if (!OPEN.includes(nameOf(route))) assert.equal(route.access, 'admin', nameOf(route))
})

/** For people who have no account yet, or are not signed in. */
const OPEN = ['POST /admin/setup', 'POST /admin/sessions', 'POST /admin/invitations/accept']

for (const [number, route] of ADMIN_ROUTES.filter(({ access }) => access === 'admin').entries())
  test(`${nameOf(route)} is for the roles that the page says`, async () => {
    const found: Record<string, boolean> = {}
    const expected: Record<string, boolean> = {}
    for (const { role, index, place } of someOf(HOLDERS, number, HOLDERS_TO_TRY)) {
      const who = `${role} ${place}`
      const asked = { ...bodyOf(route, place), ...ownIn(route, who) }
      const { status, body } = await clients.get(who)!(route.method, pathOf(route, place), route.body && asked)
      assert.ok(status < 500, `${who}: ${status} ${JSON.stringify(body)}`)
      found[who] = status !== 401 && status !== 403
      expected[who] = isExpected(routes.get(nameOf(route))!, index, place)
    }
    assert.deepEqual(found, expected)
  })

test('no body may have a field that its schema does not have, such as one that would give more rights', async () => {
  const admin = operator(gateway)
  const own = ADMIN_ROUTES.filter((route) => route.path !== '/admin/explain' && !isOfPlayground(route))
  const fields = ['is_admin', 'memberships', 'permissions', 'password_hash', '__proto__']
  const both = [admin, clients.get('member project')!]
  const tries = fields.flatMap((field) => both.map((client) => ({ client, field })))
  for (const [number, route] of own.filter(({ body }) => body).entries())
    for (const { client, field } of someOf(tries, number, 3)) {
      const body = JSON.parse(
        JSON.stringify(bodyOf(route, 'installation') ?? {}).replace('{', `{"${field}":["owner"],`),
      )
      const text = await client(route.method, pathOf(route), body)
      assert.ok([403, 422].includes(text.status), `${nameOf(route)} with ${field}: ${text.status}`)
    }
})

test('every admin route refuses a request without a key, a token or a session', async () => {
  for (const route of ADMIN_ROUTES.filter(({ access }) => access === 'admin')) {
    const { status } = await clientOf(gateway)(route.method, pathOf(route), bodyOf(route, 'installation'))
    assert.equal(status, 401, nameOf(route))
  }
})

/** A role on a place is enough for permissions of that place, and of smaller ones. */
function isExpected(permission: string, role: number, held: Place): boolean {
  if (permission === 'self') return true
  const { place, reaches } = permissions.get(permission)!
  return reaches[role] !== '–' && PLACE_NAMES.indexOf(held) <= PLACE_NAMES.indexOf(place as Place)
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

/** Roles on a project end with it, so the project of the roles is not the one that is deleted. */
function pathOf(route: Route, place: Place = 'installation'): string {
  const names = nameOf(route) === 'DELETE /admin/projects/{project}' ? {} : NAMES_IN_PATHS
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name] ?? 'unknown'))
  if (!isOfPlayground(route)) return path
  return `${path}?kind=sandbox&project=${place === 'organization' ? `acme-${PROJECT}` : PROJECT}`
}

/** Its bodies are those of the API. */
function isOfPlayground({ path }: Route): boolean {
  return path.startsWith('/admin/playground/')
}

/** What belongs to a project is asked for in the project, or in that of the other organization. */
function bodyOf(route: Route, place: Place): object | undefined {
  const body = bodyInProject(route)
  if (place !== 'organization' || !body) return body
  return JSON.parse(
    JSON.stringify(body)
      .replaceAll(`"${PROJECT}"`, `"acme-${PROJECT}"`)
      .replaceAll(`:${PROJECT}"`, `:acme-${PROJECT}"`),
  )
}

/** An actor who may see any limit may simulate one for themselves. A member limits only own keys. */
function ownIn(route: Route, who: string): object {
  // One that refused calls would refuse what other routes are tried with.
  if (nameOf(route) === 'POST /admin/guardrails') return { mode: 'shadow' }
  if (route.path.endsWith('/simulate')) return { applies_to: `user:${accounts.get(who)}` }
  const key = keysOfMembers.get(who)
  return key !== undefined && 'applies_to' in (bodyInProject(route) ?? {}) ? { applies_to: `key:${key}` } : {}
}

function bodyInProject(route: Route): object | undefined {
  if (!route.body) return undefined
  const { title = '', properties } = route.body as unknown as { title?: string; properties?: object }
  const body = BODIES[nameOf(route)] ?? (EXAMPLES[title] as object)
  const takesProject = properties && 'project' in properties && !nameOf(route).startsWith('POST /admin/users')
  return takesProject ? { ...body, project: PROJECT } : body
}

function tableWith(head: string): string[][] {
  const lines = page.slice(page.indexOf(head)).split('\n\n')[0]!.split('\n').slice(2)
  return lines.map((line) => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$|`/g, '').trim())
    return cells
  })
}
