import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ROLES } from '../../src/contract/admin/roles.ts'
import { ADMIN_ROUTES } from '../../src/http/app.ts'
import { EXAMPLES, EXAMPLES_IN_PATHS } from '../../src/http/openapi/examples.ts'
import type { Route } from '../../src/http/services.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type Client, clientOf, operator } from './people-under-test.ts'

// Every route of the admin listener with every role, on the organization and on a project, exactly as docs/people.md says.

const PROJECT = 'research'
const NAMES_IN_PATHS: Record<string, string> = { ...EXAMPLES_IN_PATHS, project: PROJECT }

/** Bodies that ask for nothing that is above any role. */
const BODIES: Record<string, object> = {
  'POST /admin/users': { name: 'robot' },
}

let gateway: GatewayUnderTest
const clients = new Map<string, Client>()
/** A member limits only own keys. */
const keysOfMembers = new Map<string, string>()
before(async () => {
  gateway = await startGateway()
  const admin = operator(gateway)
  await admin('POST', '/admin/keys', { name: 'first', owner: PROJECT })
  for (const role of ROLES)
    for (const project of [undefined, PROJECT]) {
      const account = await admin('POST', '/admin/users', { name: role, role, ...(project && { project }) })
      const made = await admin('POST', `/admin/users/${account.body.id}/tokens`, { name: 'test' })
      const who = `${role} ${project ?? ''}`
      const own = { name: who, project: PROJECT, user: account.body.id }
      if (role === 'member') keysOfMembers.set(who, (await admin('POST', '/admin/keys', own)).body.id)
      clients.set(who, clientOf(gateway, { authorization: `Bearer ${made.body.token}` }))
    }
})
after(() => gateway.close())

const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'people.md'), 'utf8')
const permissions = new Map(
  tableWith('| permission |').map(([name, , place, ...reaches]) => [name!, { place, reaches }]),
)
const routes = new Map(tableWith('| route |').map(([route, permission]) => [route!, permission!]))

test('the page has every route of the admin listener, and every one of them names its permission', () => {
  assert.deepEqual([...routes.keys()], ADMIN_ROUTES.map(nameOf))
  for (const route of ADMIN_ROUTES.filter(({ path }) => path.startsWith('/admin/')))
    if (!OPEN.includes(nameOf(route))) assert.equal(route.access, 'admin', nameOf(route))
})

/** Whoever has no account yet, or is not signed in. */
const OPEN = ['POST /admin/setup', 'POST /admin/sessions', 'POST /admin/invitations/accept']

for (const route of ADMIN_ROUTES.filter(({ access }) => access === 'admin'))
  test(`${nameOf(route)} is for the roles that the page says`, async () => {
    const found: Record<string, boolean> = {}
    const expected: Record<string, boolean> = {}
    for (const [index, role] of ROLES.entries())
      for (const project of ['', PROJECT]) {
        const who = `${role} ${project}`
        const { status, body } = await clients.get(who)!(route.method, pathOf(route), bodyOf(route, project, who))
        assert.ok(status < 500, `${who}: ${status} ${JSON.stringify(body)}`)
        found[who] = status !== 401 && status !== 403
        expected[who] = isExpected(routes.get(nameOf(route))!, index, project !== '')
      }
    assert.deepEqual(found, expected)
  })

test('nobody is known without a key, a token or a session', async () => {
  for (const route of ADMIN_ROUTES.filter(({ access }) => access === 'admin')) {
    const { status } = await clientOf(gateway)(route.method, pathOf(route), bodyOf(route, ''))
    assert.equal(status, 401, nameOf(route))
  }
})

function isExpected(permission: string, role: number, isOnProject: boolean): boolean {
  if (permission === 'self') return true
  const { place, reaches } = permissions.get(permission)!
  return reaches[role] !== '–' && !(isOnProject && place === 'organization')
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function pathOf({ path }: Route): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(NAMES_IN_PATHS[name] ?? 'unknown'))
}

/** What belongs to a project is asked for in the project. */
function bodyOf(route: Route, project: string, who = ''): object | undefined {
  if (!route.body) return undefined
  const { title = '', properties } = route.body as unknown as { title?: string; properties?: object }
  const body = BODIES[nameOf(route)] ?? (EXAMPLES[title] as object)
  const takesProject = properties && 'project' in properties && !nameOf(route).startsWith('POST /admin/users')
  const key = keysOfMembers.get(who)
  if (key !== undefined && 'applies_to' in body) return { ...body, applies_to: `key:${key}` }
  return takesProject ? { ...body, project: project || PROJECT } : body
}

function tableWith(head: string): string[][] {
  const lines = page.slice(page.indexOf(head)).split('\n\n')[0]!.split('\n').slice(2)
  return lines.map((line) => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$|`/g, '').trim())
    return cells
  })
}
