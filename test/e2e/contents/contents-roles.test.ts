import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// Who may read the content of calls of the project `research`, and who may record keys there.

let gateway: GatewayUnderTest
let admin: Client
let call: string
let foreign: string
const clients = new Map<string, Client>()
before(async () => {
  gateway = await startGateway()
  admin = operator(gateway)
  for (const id of ['research', 'other']) {
    await admin('POST', '/admin/projects', { name: id, id })
    await keep(id, false)
  }
  const ids = new Map<string, string>()
  for (const role of ['owner', 'admin', 'auditor', 'billing']) ids.set(role, await account(role))
  for (const role of ['manager', 'member']) ids.set(role, await account(role, 'research'))
  ids.set('manager elsewhere', await account('manager', 'other', 'manager elsewhere'))
  call = await chat({ project: 'research', user: ids.get('member') })
  foreign = await chat({ project: 'research' })
})
after(() => gateway.close())

const SEES: Record<string, [own: number, others: number]> = {
  owner: [200, 200],
  admin: [200, 200],
  manager: [404, 404],
  member: [200, 404],
  auditor: [403, 403],
  billing: [403, 403],
  'manager elsewhere': [404, 404],
}
for (const [who, expected] of Object.entries(SEES))
  test(`${who}: ${expected[0]} for calls of the member, ${expected[1]} for calls of others`, async () => {
    assert.deepEqual([await read(who, call), await read(who, foreign)], expected)
  })

const STATES: Record<string, [own: string | undefined, others: string | undefined]> = {
  owner: ['kept', 'kept'],
  manager: ['not_allowed', 'not_allowed'],
  member: ['kept', undefined],
  auditor: ['not_allowed', 'not_allowed'],
  billing: ['not_allowed', 'not_allowed'],
  'manager elsewhere': [undefined, undefined],
}
for (const [who, expected] of Object.entries(STATES))
  test(`the request log tells the ${who} what they can read`, async () => {
    assert.deepEqual([await state(who, call), await state(who, foreign)], expected)
  })

test('an actor who may not read does not learn whether anything was kept', async () => {
  await admin('PATCH', '/admin/projects/research', { content: { mode: 'off' } })
  const notKept = await chat({ project: 'research' })
  await keep('research', false)
  assert.deepEqual([await state('manager', notKept), await state('auditor', notKept)], ['not_allowed', 'not_allowed'])
  assert.equal(await state('owner', notKept), 'none')
})

test('a project that lets managers read and keeps nothing keeps nothing', async () => {
  await admin('PATCH', '/admin/projects/research', { content: { mode: 'off', managers_read: true } })
  const id = await chat({ project: 'research' })
  assert.deepEqual([await state('manager', id), await state('manager', call)], ['none', 'kept'])
  await keep('research', false)
})

test('a project may let its managers read, and no other role', async () => {
  await keep('research', true)
  assert.deepEqual([await read('manager', call), await read('manager', foreign)], [200, 200])
  for (const who of ['auditor', 'billing']) assert.equal(await read(who, foreign), 403)
  for (const who of ['member', 'manager elsewhere']) assert.equal(await read(who, foreign), 404)
})

test('a manager cannot turn content on, nor open it to managers', async () => {
  const { status } = await clients.get('manager')!('PATCH', '/admin/projects/research', { content: { mode: 'full' } })
  assert.equal(status, 403)
})

test('a member records own keys, and no others', async () => {
  const own = await clients.get('member')!('POST', '/admin/keys', { name: 'own', project: 'research' })
  const others = await admin('POST', '/admin/keys', { name: 'other', project: 'research' })
  const record = async (id: string) => {
    const asked = { requests: 1, expires_in_seconds: 60 }
    return (await clients.get('member')!('POST', `/admin/keys/${id}/record`, asked)).status
  }
  assert.deepEqual([await record(own.body.id), await record(others.body.id)], [200, 404])
})

async function account(role: string, project?: string, name = role): Promise<string> {
  const made = await admin('POST', '/admin/users', { kind: 'service', name, role, ...(project && { project }) })
  const token = await admin('POST', `/admin/users/${made.body.id}/tokens`, { name: 'test' })
  clients.set(name, clientOf(gateway, { authorization: `Bearer ${token.body.token}` }))
  return made.body.id
}

async function keep(project: string, managers_read: boolean): Promise<void> {
  const content = { mode: 'full', managers_read }
  assert.equal((await admin('PATCH', `/admin/projects/${project}`, { content })).status, 200)
}

/** Returns the id of a call with a new key. */
async function chat(key: object): Promise<string> {
  const made = await admin('POST', '/admin/keys', { name: 'x', ...key })
  const response = await fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.body.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] }),
  })
  await response.text()
  await gateway.gateway.services.calls.contents.written()
  return response.headers.get('x-request-id')!
}

async function state(who: string, id: string): Promise<string | undefined> {
  return (await clients.get(who)!('GET', `/admin/requests/${id}`)).body.content
}

async function read(who: string, id: string): Promise<number> {
  return (await clients.get(who)!('GET', `/admin/requests/${id}/content`)).status
}
