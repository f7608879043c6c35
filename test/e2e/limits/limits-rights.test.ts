import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

let scene: LimitsGateway
let owner: Client
before(async () => {
  scene = await startLimitsGateway()
  owner = operator(scene.gateway)
  await owner('POST', '/admin/projects', { id: 'search', name: 'search' })
})
after(() => scene.close())

/** A client with a role on the project `search`, and its id. */
async function account(role: string): Promise<{ as: Client; id: string }> {
  const as = await holding({ role, project: 'search' })
  return { as, id: (await as('GET', '/admin/me')).body.id }
}

async function holding(place: object): Promise<Client> {
  const { body } = await owner('POST', '/admin/users', { name: 'service', ...place })
  const made = await owner('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
  return clientOf(scene.gateway, { authorization: `Bearer ${made.body.token}` })
}

const budget = (id: string, applies_to: string) => ({ id, applies_to, limit: 5, window: 'month' })
/** Without an id, which only admins of the installation choose. */
const nameless = (applies_to: string, limit = 5) => ({ applies_to, limit, window: 'month' })
const LOOSENING = [
  ['PATCH', '', { limit: 50 }],
  ['PATCH', '', { mode: 'shadow' }],
  ['PATCH', '', { applies_to: 'key:unknown' }],
  ['DELETE', ''],
  ['POST', '/reset'],
  ['POST', '/release'],
] as const

async function statuses(client: Client, id: string): Promise<number[]> {
  const found: number[] = []
  for (const [method, path, body] of LOOSENING)
    found.push((await client(method, `/admin/budgets/${id}${path}`, body)).status)
  return found
}

test('a manager cannot lift what the organization has set for the project, and adds a tighter limit beside it', async () => {
  const { as: manager } = await account('manager')
  const { body } = await owner('POST', '/admin/budgets', budget('set-above', 'project:search'))
  assert.equal(body.set_by, 'installation')
  assert.equal((await manager('GET', '/admin/budgets/set-above')).status, 200)
  assert.deepEqual(await statuses(manager, 'set-above'), [403, 403, 403, 403, 403, 403])
  const { body: refused } = await manager('PATCH', '/admin/budgets/set-above', { limit: 50 })
  assert.match(refused.error.message, /Add a tighter limit beside it/)
  const own = await manager('POST', '/admin/budgets', nameless('project:search', 2))
  assert.deepEqual([own.status, own.body.set_by], [201, 'project'])
  const tighter = own.body.id as string
  assert.equal((await manager('PATCH', `/admin/budgets/${tighter}`, { limit: 3 })).status, 200)
  // Who has changed a limit has set it.
  const taken = await owner('PATCH', `/admin/budgets/${tighter}`, { limit: 1 })
  assert.equal(taken.body.set_by, 'installation')
  assert.equal((await manager('DELETE', `/admin/budgets/${tighter}`)).status, 403)
  for (const id of ['set-above', tighter]) assert.equal((await owner('DELETE', `/admin/budgets/${id}`)).status, 204)
})

test('an owner of an organization cannot lift what the installation has set for it, nor in it', async () => {
  await owner('POST', '/admin/organizations', { id: 'acme', name: 'Acme' })
  const project = (await owner('POST', '/admin/projects', { name: 'of Acme', organization: 'acme' })).body.id
  const acme = await holding({ role: 'owner', organization: 'acme' })
  for (const place of ['organization:acme', `project:${project}`]) {
    const { body } = await owner('POST', '/admin/budgets', budget('given', place))
    assert.equal(body.set_by, 'installation')
    assert.equal((await acme('GET', '/admin/budgets/given')).status, 200)
    assert.deepEqual(await statuses(acme, 'given'), [403, 403, 403, 403, 403, 403])
    const own = await acme('POST', '/admin/budgets', nameless(place))
    assert.deepEqual([own.status, own.body.set_by], [201, 'organization'])
    assert.equal((await acme('PATCH', `/admin/budgets/${own.body.id}`, { limit: 9 })).status, 200)
    for (const id of ['given', own.body.id]) assert.equal((await owner('DELETE', `/admin/budgets/${id}`)).status, 204)
  }
})

test('a member limits own keys, cannot lift what others have set for them, and limits nothing else', async () => {
  const { as: member, id } = await account('member')
  const { as: manager } = await account('manager')
  const key = (await owner('POST', '/admin/keys', { name: 'mine', project: 'search', user: id })).body.id
  const other = (await owner('POST', '/admin/keys', { name: 'theirs', project: 'search' })).body.id
  const made = await member('POST', '/admin/budgets', nameless(`key:${key}`))
  assert.deepEqual([made.status, made.body.set_by], [201, 'own'])
  const mine = `/admin/budgets/${made.body.id}`
  assert.equal((await member('PATCH', mine, { limit: 4 })).status, 200)
  for (const place of [`key:${other}`, 'project:search', 'all', `user:${id}`, 'end_user:e'])
    assert.equal((await member('POST', '/admin/budgets', nameless(place))).status, 403, place)
  // Not moved to what is not theirs either.
  assert.equal((await member('PATCH', mine, { applies_to: 'project:search' })).status, 403)
  const { body: above } = await manager('POST', '/admin/budgets', nameless(`key:${key}`))
  assert.deepEqual(await statuses(member, above.id), [403, 403, 403, 403, 403, 403])
  assert.equal((await manager('PATCH', mine, { limit: 3 })).body.set_by, 'project')
  assert.equal((await member('DELETE', mine)).status, 403)
  for (const limit of [made.body.id, above.id])
    assert.equal((await owner('DELETE', `/admin/budgets/${limit}`)).status, 204)
})

test('a member makes no more limits for an own key than one may have, and a manager still adds one', async () => {
  const { as: member, id } = await account('member')
  const { as: manager } = await account('manager')
  const made = await owner('POST', '/admin/keys', { name: 'crowded', project: 'search', user: id })
  const crowded = `key:${made.body.id}`
  const spare = `key:${(await owner('POST', '/admin/keys', { name: 'spare', project: 'search', user: id })).body.id}`
  const rate = (applies_to = crowded) => ({ applies_to, unit: 'requests', limit: 9e5, window: 'hour' })
  // All at once: no request slips in between another's read and write.
  const answers = await Promise.all(Array.from({ length: 25 }, () => member('POST', '/admin/rate-limits', rate())))
  const refused = answers.filter(({ status }) => status !== 201)
  assert.deepEqual([refused.length, refused[0]!.status], [5, 422])
  assert.match(refused[0]!.body.error.message, /has 20 limits/)
  const { body: moves } = await member('POST', '/admin/rate-limits', rate(spare))
  assert.equal((await member('PATCH', `/admin/rate-limits/${moves.id}`, { applies_to: crowded })).status, 422)
  assert.equal((await manager('POST', '/admin/rate-limits', rate())).status, 201)
  const kept = answers.find(({ status }) => status === 201)!.body.id
  assert.equal((await member('PATCH', `/admin/rate-limits/${kept}`, { limit: 8e5 })).status, 200)
  const answer = await scene.chat({}, { authorization: `Bearer ${made.body.key}` })
  assert.equal(answer.headers.get('ratelimit')!.split(', ').length, 8)
  assert.equal(answer.headers.get('ratelimit-policy')!.split(', ').length, 8)
  assert.match(answer.headers.get('ratelimit')!, new RegExp(`^"${kept}"`))
})

test('ids of limits and projects do not tell which ones other organizations have', async () => {
  await owner('POST', '/admin/organizations', { id: 'acme', name: 'acme' })
  const ofAcme = await holding({ role: 'owner', organization: 'acme' })
  const { body: project } = await ofAcme('POST', '/admin/projects', { name: 'Search' })
  assert.match(project.id, /^search-[0-9a-f]{8}$/, 'not search-2, which would say that there is a project search')
  const { as: manager } = await account('manager')
  await owner('POST', '/admin/budgets', budget('hidden', 'all'))
  await scene.limit({ budgets: [{ id: 'hidden-in-file', appliesTo: 'all', limit: 5, window: 'day' }] })
  const asked: [Client, path: string, body: (id: string) => object][] = [
    [manager, '/admin/budgets', (id) => budget(id, 'project:search')],
    [ofAcme, '/admin/budgets', (id) => budget(id, 'organization:acme')],
    [ofAcme, '/admin/projects', (id) => ({ name: 'x', id })],
  ]
  for (const [client, path, body] of asked) {
    const answers = new Set<string>()
    for (const id of ['hidden', 'hidden-in-file', 'search', 'free']) {
      const answer = await client('POST', path, body(id))
      answers.add(`${answer.status} ${answer.body.error?.message}`)
    }
    assert.deepEqual(
      [...answers],
      ['403 Your role does not let you choose the id. Leave it out: the gateway generates it.'],
    )
  }
  // An admin of the installation chooses ids.
  assert.equal((await owner('POST', '/admin/budgets', budget('hidden', 'all'))).status, 409)
  assert.equal((await owner('POST', '/admin/projects', { name: 'x', id: 'search' })).status, 409)
  await scene.limit({})
})
