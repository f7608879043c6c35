import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

type Body = Record<string, unknown>

async function admin(method: string, path: string, body?: object): Promise<Body> {
  const response = await scene.admin(method, path, body)
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`)
  return response.status === 204 ? {} : ((await response.json()) as Body)
}

test('budgets are created, listed, changed and deleted, and apply at once', async () => {
  const created = await admin('POST', '/admin/budgets', {
    id: 'team',
    applies_to: 'project:default',
    limit: 0,
    window: 'month',
    timezone: 'Europe/Paris',
    models: ['fake/*'],
    on_exceeded: 'refuse',
  })
  assert.deepEqual(
    [created.owned_by, created.unit, created.spent, created.reserved, created.left, created.lost],
    ['api', 'usd', 0, 0, 0, 0],
  )
  assert.match(String(created.resets_at), /T2[23]:00:00\.000Z$/)
  assert.equal((await scene.chat()).status, 402)
  const changed = await admin('PATCH', '/admin/budgets/team', { limit: 1, models: null })
  assert.deepEqual([changed.limit, changed.models, changed.timezone], [1, undefined, 'Europe/Paris'])
  assert.equal((await scene.chat()).status, 200)
  await scene.gateway.gateway.services.calls.ledger.flush()
  const spent = await admin('GET', '/admin/budgets/team')
  assert.ok(Number(spent.spent) > 0 && Number(spent.spent) < 0.001)
  assert.ok(Math.abs(Number(spent.spent) + Number(spent.reserved) + Number(spent.left) - 1) < 1e-9)
  const { items } = await admin('GET', '/admin/budgets?limit=10')
  assert.deepEqual(
    (items as Body[]).map(({ id }) => id),
    ['team'],
  )
  assert.deepEqual((await admin('GET', '/admin/rate-limits')).items, [])
  await errorIn(await scene.admin('GET', '/admin/rate-limits/team'), 404)
  assert.equal((await admin('POST', '/admin/budgets/team/reset')).spent, 0)
  await admin('DELETE', '/admin/budgets/team')
  await errorIn(await scene.admin('GET', '/admin/budgets/team'), 404)
})

test('a temporary increase ends by itself', async () => {
  const until = new Date(scene.gateway.gateway.services.calls.now() + HOUR_MS).toISOString()
  const body = { id: 'more', applies_to: 'all', limit: 0, window: 'month', increase: { amount: 5, until } }
  const raised = await admin('POST', '/admin/budgets', body)
  assert.deepEqual([raised.limit, raised.effective_limit, raised.left], [0, 5, 5])
  assert.equal((await scene.chat()).status, 200)
  const past = { amount: 5, until: '2020-01-01T00:00:00Z' }
  const ended = await admin('PATCH', '/admin/budgets/more', { increase: past })
  assert.deepEqual([ended.limit, ended.effective_limit, ended.left], [0, 0, 0])
  assert.equal((await scene.chat()).status, 402)
  await admin('DELETE', '/admin/budgets/more')
})

test('a limit of the config file is shown and cannot be changed here', async () => {
  await scene.limit({ budgets: [{ id: 'fixed', appliesTo: 'all', limit: 5, window: 'day' }] })
  const found = await admin('GET', '/admin/budgets/fixed')
  assert.deepEqual([found.owned_by, found.limit, found.created_at], ['file', 5, null])
  for (const [method, path, body] of [
    ['PATCH', '/admin/budgets/fixed', { limit: 9 }],
    ['DELETE', '/admin/budgets/fixed'],
    ['POST', '/admin/budgets', { id: 'fixed', applies_to: 'all', limit: 1, window: 'day' }],
  ] as const)
    assert.match(String((await errorIn(await scene.admin(method, path, body), 409)).message), /config file/)
  await scene.limit({})
})

test('says what is wrong with a limit', async () => {
  const month = { applies_to: 'all', limit: 1, window: 'month' }
  const cases: [string, object, string][] = [
    ['/admin/budgets', { applies_to: 'team:x', limit: 1, window: 'day' }, 'applies_to'],
    ['/admin/budgets', { applies_to: 'all', limit: 1, window: 'day', timezone: 'Nowhere' }, 'timezone'],
    ['/admin/rate-limits', { applies_to: 'all', unit: 'requests', limit: 1.5, window: 'day' }, 'limit'],
    ['/admin/rate-limits', { applies_to: 'all', unit: 'requests', limit: 1 }, 'window'],
    ['/admin/budgets', { applies_to: 'all', limit: 1, window: 'day', unlimited: true }, 'unlimited'],
    ['/admin/budgets', { ...month, assume: { input: 1e15, output: 1 } }, 'assume.input'],
    ['/admin/budgets', { ...month, assume: { input: 1, output: 1e308 } }, 'assume.output'],
    ['/admin/budgets', { ...month, increase: { amount: 1_000_001, until: '2099-01-01T00:00:00Z' } }, 'increase'],
    ['/admin/rate-limits', { ...month, unit: 'requests', limit: 1e13 }, 'limit'],
  ]
  for (const [path, body, param] of cases)
    assert.equal((await errorIn(await scene.admin('POST', path, body), 422)).param, param)
})

test('a caller sees its own limits at GET /v3/key', async () => {
  await scene.limit({
    budgets: [{ id: 'wide', appliesTo: 'all', limit: 10, window: 'month' }],
    rateLimits: [{ id: 'mine', appliesTo: 'all', per: 'key', unit: 'requests', limit: 5, window: 'hour' }],
  })
  await (await scene.chat()).arrayBuffer()
  await scene.gateway.gateway.services.calls.ledger.flush()
  const response = await fetch(`${scene.gateway.url}/v3/key`, { headers: { authorization: `Bearer ${API_KEY}` } })
  const state = (await response.json()) as Body & { limits: Body[] }
  assert.deepEqual([state.project, state.scopes, state.limit], ['default', null, 10])
  assert.ok(Number(state.usage) > 0 && Number(state.limit_remaining) < 10)
  assert.deepEqual(
    state.limits.map(({ id, unit, limit, spent }) => [id, unit, limit, Number(spent) > 0]),
    [
      ['wide', 'usd', 10, true],
      ['mine', 'requests', 5, true],
    ],
  )
  assert.equal(state.limits[1]!.left, 4)
  await scene.limit({})
})

test('a manager of a project limits it and its keys, and nothing else', async () => {
  const asOwner = operator(scene.gateway)
  const key = (await asOwner('POST', '/admin/keys', { name: 'ours', owner: 'search' })).body.id as string
  const other = (await asOwner('POST', '/admin/keys', { name: 'theirs', owner: 'ads' })).body.id as string
  const manager = await account(asOwner, 'manager')
  const budget = (applies_to: string) => ({ applies_to, limit: 5, window: 'month' })
  const made: string[] = []
  for (const place of ['project:search', `key:${key}`]) {
    const { status, body } = await manager('POST', '/admin/budgets', budget(place))
    assert.equal(status, 201, JSON.stringify(body))
    made.push(body.id)
  }
  for (const place of [
    'all',
    'organization:default',
    'project:ads',
    `key:${other}`,
    'key:unknown',
    'user:u',
    'end_user:e',
  ])
    assert.equal((await manager('POST', '/admin/budgets', budget(place))).status, 403, place)
  // A limit cannot be moved out of the project either, and those of others are not seen.
  assert.equal((await manager('PATCH', `/admin/budgets/${made[0]}`, { applies_to: 'all' })).status, 403)
  assert.equal((await manager('PATCH', `/admin/budgets/${made[0]}`, { limit: 6 })).status, 200)
  await asOwner('POST', '/admin/budgets', { id: 'wide', ...budget('all') })
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { limit: 9 }],
    ['DELETE', ''],
    ['POST', '/reset'],
    ['POST', '/release'],
  ] as const)
    assert.equal((await manager(method, `/admin/budgets/wide${path}`, body)).status, 404, `${method} ${path}`)
  const listed = (await manager('GET', '/admin/budgets')).body.items as Body[]
  assert.deepEqual(listed.map(({ id }) => id).sort(), made.toSorted())
  const member = await account(asOwner, 'member')
  assert.deepEqual((await member('GET', '/admin/budgets')).body.items, [])
  assert.equal((await member('DELETE', `/admin/budgets/${made[0]}`)).status, 404)
  for (const id of [...made, 'wide']) assert.equal((await asOwner('DELETE', `/admin/budgets/${id}`)).status, 204)
})

test('what the config file says about a project is not forgiven by its manager', async () => {
  await scene.limit({ budgets: [{ id: 'set', appliesTo: 'project:search', limit: 5, window: 'day' }] })
  const manager = await account(operator(scene.gateway), 'manager')
  assert.equal((await manager('GET', '/admin/budgets/set')).status, 200)
  for (const what of ['reset', 'release'])
    assert.equal((await manager('POST', `/admin/budgets/set/${what}`)).status, 403, what)
  assert.equal((await operator(scene.gateway)('POST', '/admin/budgets/set/reset')).status, 200)
  await scene.limit({})
})

test('every change is in the audit log, with the fields that changed', async () => {
  const rate = { id: 'told', applies_to: 'project:x', unit: 'requests', limit: 5, window: 'day', models: ['a'] }
  await admin('POST', '/admin/rate-limits', rate)
  await admin('PATCH', '/admin/rate-limits/told', { limit: 6, models: null })
  await errorIn(await scene.admin('POST', '/admin/rate-limits', rate), 409)
  await admin('DELETE', '/admin/rate-limits/told')
  const { items } = await admin('GET', '/admin/audit?object=rate_limit:told')
  assert.deepEqual((items as Body[]).map(({ action, before, after }) => [action, before, after]).toReversed(), [
    ['rate_limit.create', null, { ...SETTINGS, limit: 5, models: ['a'] }],
    ['rate_limit.update', { limit: 5, models: ['a'] }, { limit: 6, models: null }],
    ['rate_limit.delete', { ...SETTINGS, limit: 6 }, null],
  ])
})

const SETTINGS = { id: 'told', appliesTo: 'project:x', unit: 'requests', window: 'day' }

/** A client with a role on the project `search`. */
async function account(asOwner: Client, role: string): Promise<Client> {
  const { body } = await asOwner('POST', '/admin/users', { name: role, role, project: 'search' })
  const made = await asOwner('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
  return clientOf(scene.gateway, { authorization: `Bearer ${made.body.token}` })
}
