import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ownerKey } from '../../../src/platform/store/owner.ts'
import { sample, someOf } from '../../soak/sample.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// With no change of another person's key can an actor read more of what it has stored than their role lets them read.

const SHARES = ['project', 'key'] as const
const KINDS = ['live', 'sandbox'] as const
const USERS = ['member', 'owner', 'none'] as const
const ACTORS = ['owner', 'admin', 'manager', 'member', 'other member', 'auditor'] as const
/** In this project, managers may read contents. A key that is moved there must not bring anything along. */
const LANDING = 'landing'

type Actor = (typeof ACTORS)[number]
type Case = { share: (typeof SHARES)[number]; managersRead: boolean; kind: string; user: (typeof USERS)[number] }

const CASES: Case[] = SHARES.flatMap((share) =>
  [false, true].flatMap((managersRead) =>
    KINDS.flatMap((kind) => USERS.map((user) => ({ share, managersRead, kind, user }))),
  ),
)
const TRIED = CASES.filter((_, index) => index % (CASES.length / sample(6, CASES.length)) < 1)

describe('the content behind a key', () => {
  let gateway: GatewayUnderTest
  let admin: Client
  const clients = new Map<Actor, Client>()
  const ids = new Map<string, string>()

  before(async () => {
    gateway = await startGateway()
    admin = operator(gateway)
    for (const share of SHARES)
      for (const managersRead of [false, true]) await project(idOf(share, managersRead), share, managersRead)
    await project(LANDING, 'key', true)
    for (const role of ['owner', 'admin', 'auditor'] as const) await account(role, role, [null])
    const everywhere = [...SHARES.flatMap((share) => [idOf(share, false), idOf(share, true)]), LANDING]
    await account('manager', 'manager', everywhere)
    await account('member', 'member', everywhere)
    await account('other member', 'member', everywhere)
  })
  after(() => gateway.close())

  for (const [index, one] of TRIED.entries())
    for (const actor of actorsFor(one, index))
      test(`${titleOf(one)}: the ${actor} opens ${mayOpen(one, actor) ? 'its content' : 'nothing'}`, async () => {
        const opened = await everyWayIn(one, actor)
        assert.deepEqual(opened, mayOpen(one, actor) ? opened : [], 'ways that opened the content')
        if (mayOpen(one, actor) && mayHold(one, actor)) assert.ok(opened.includes('rotate'), 'their own right stays')
      })

  test('a refused rotation says what to do, and a manager may still revoke the key', async () => {
    const { id } = await keyOf({ share: 'key', managersRead: false, kind: 'live', user: 'member' })
    const refused = await clients.get('manager')!('POST', `/admin/keys/${id}/rotate`, { overlap_seconds: 60 })
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /you can revoke it and create another key/)
    assert.equal((await clients.get('manager')!('DELETE', `/admin/keys/${id}`)).status, 204)
  })

  for (const share of SHARES)
    test(`no key in the name of a user who stands higher, where keys share per ${share}`, async () => {
      const asked = (user: string) => ({ name: 'k', project: idOf(share, true), user: ids.get(user) })
      const made = async (actor: Actor, user: string) =>
        (await clients.get(actor)!('POST', '/admin/keys', asked(user))).status
      assert.deepEqual([await made('manager', 'owner'), await made('manager', 'admin')], [403, 403])
      assert.deepEqual([await made('manager', 'auditor'), await made('admin', 'owner')], [403, 403])
      assert.deepEqual([await made('manager', 'member'), await made('admin', 'member')], [201, 201])
      assert.deepEqual([await made('owner', 'admin'), await made('member', 'other member')], [201, 403])
    })

  test('where keys share nothing, a manager who may not read makes no keys for others', async () => {
    const make = async (user: string) => {
      const asked = { name: 'k', project: idOf('key', false), user: ids.get(user) }
      return (await clients.get('manager')!('POST', '/admin/keys', asked)).status
    }
    assert.deepEqual([await make('member'), await make('manager')], [403, 201])
  })

  test('a manager who may not read has no calls of others recorded', async () => {
    for (const share of SHARES) {
      const { id } = await keyOf({ share, managersRead: false, kind: 'live', user: 'member' })
      const record = async (actor: Actor) => {
        const asked = { requests: 1, expires_in_seconds: 60 }
        return (await clients.get(actor)!('POST', `/admin/keys/${id}/record`, asked)).status
      }
      assert.deepEqual([await record('manager'), await record('member'), await record('admin')], [403, 200, 200])
    }
  })

  test('a project that is called like an owner is another owner', async () => {
    const ownerId = ids.get('member')!
    const owner = ownerKey({ project: idOf('key', false), ownerKind: 'person', ownerId })
    for (const id of [owner, ownerId]) {
      const { status, body } = await admin('POST', '/admin/keys', { name: 'k', owner: id })
      assert.deepEqual([status, body.project, body.owner], [201, id, id])
    }
  })

  /** Tries everything that may show a secret of the key, or make it the asker's. Returns what showed the stored response. */
  async function everyWayIn(one: Case, actor: Actor): Promise<string[]> {
    const client = clients.get(actor)!
    const self = ids.get(actor)
    const ways: Record<string, (id: string) => Promise<unknown>> = {
      rotate: () => Promise.resolve(),
      'rotate to self': (id) => client('POST', `/admin/keys/${id}/rotate`, { user: self, overlap_seconds: 60 }),
      'change the user': (id) => client('PATCH', `/admin/keys/${id}`, { user: self }),
      'take the user away': (id) => client('PATCH', `/admin/keys/${id}`, { user: null }),
      'move it': (id) => client('PATCH', `/admin/keys/${id}`, { project: LANDING }),
      // Owners and admins may do that.
      'let managers read': async () =>
        mayOpen(one, actor) || client('PATCH', `/admin/projects/${idOf(one.share, one.managersRead)}`, READABLE),
    }
    const opened: string[] = []
    for (const [name, way] of Object.entries(ways)) {
      const { id, key } = await keyOf(one)
      const stored = await store(key)
      await way(id)
      const { body } = await client('POST', `/admin/keys/${id}/rotate`, { overlap_seconds: 60 })
      if (body.key !== undefined && (await read(body.key, stored)) === 200) opened.push(name)
    }
    const asked = { name: 'k', project: idOf(one.share, one.managersRead) }
    const { body } = await client('POST', '/admin/keys', asked)
    if (body.key && (await read(body.key, await store((await keyOf(one)).key))) === 200)
      opened.push('a key of their own')
    return opened
  }

  async function keyOf({ share, managersRead, kind, user }: Case): Promise<{ id: string; key: string }> {
    const asked = { name: 'k', kind, project: idOf(share, managersRead), user: ids.get(user) ?? null }
    return (await admin('POST', '/admin/keys', asked)).body
  }

  async function store(key: string): Promise<string> {
    const answer = await fetch(`${gateway.url}/v3/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/echo', input: 'a text of the user' }),
    })
    return ((await answer.json()) as { id: string }).id
  }

  async function read(key: string, id: string): Promise<number> {
    const answer = await fetch(`${gateway.url}/v3/responses/${id}`, { headers: { authorization: `Bearer ${key}` } })
    await answer.text()
    return answer.status
  }

  async function account(name: Actor, role: string, projects: readonly (string | null)[]): Promise<void> {
    const [first, ...others] = projects
    const made = await admin('POST', '/admin/users', { kind: 'service', name, role, project: first })
    ids.set(name, made.body.id)
    for (const one of others) await admin('POST', '/admin/members', { user: made.body.id, role, project: one })
    const token = await admin('POST', `/admin/users/${made.body.id}/tokens`, { name: 'test' })
    clients.set(name, clientOf(gateway, { authorization: `Bearer ${token.body.token}` }))
  }

  async function project(id: string, share: string, managers_read: boolean): Promise<void> {
    await admin('POST', '/admin/projects', { name: id, id, share })
    const answer = await admin('PATCH', `/admin/projects/${id}`, { content: { mode: 'off', managers_read } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
})

const READABLE = { content: { mode: 'off', managers_read: true } }

function idOf(share: string, managersRead: boolean): string {
  return `${share}-${managersRead ? 'read' : 'closed'}`
}

function titleOf({ share, managersRead, kind, user }: Case): string {
  return `a ${kind} key of ${user} in ${idOf(share, managersRead)}`
}

/** One of those who may open it, and two of those who may not; all of them under `npm run test:roles`. */
function actorsFor(one: Case, index: number): Actor[] {
  const { open = [], closed = [] } = Object.groupBy(ACTORS, (actor) => (mayOpen(one, actor) ? 'open' : 'closed'))
  return [...someOf(open, index, 1), ...someOf(closed, index, 2)]
}

/** Whether a role may read what the key has stored. */
function mayOpen({ share, managersRead, user }: Case, actor: Actor): boolean {
  if (actor === 'owner' || actor === 'admin' || actor === user) return true
  // Every key of the project opens it, also one of their own.
  if (share === 'project') return actor !== 'auditor'
  return actor === 'manager' && managersRead
}

/** Whether the key may be rotated by an actor who may read its content. */
function mayHold({ user }: Case, actor: Actor): boolean {
  if (actor === user || actor === 'owner') return true
  return (actor === 'admin' || actor === 'manager') && user !== 'owner'
}
