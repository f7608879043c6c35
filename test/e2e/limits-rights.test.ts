import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LimitsGateway, startLimitsGateway } from './limits-gateway.ts'
import { type Client, clientOf, operator } from './people-under-test.ts'

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
  const { body } = await owner('POST', '/admin/users', { name: role, role, project: 'search' })
  const made = await owner('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
  return { as: clientOf(scene.gateway, { authorization: `Bearer ${made.body.token}` }), id: body.id }
}

const budget = (id: string, applies_to: string) => ({ id, applies_to, limit: 5, window: 'month' })
const LOOSENING = [
  ['PATCH', '', { limit: 50 }],
  ['PATCH', '', { mode: 'shadow' }],
  ['PATCH', '', { applies_to: 'key:nobody' }],
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
  assert.equal(body.set_by, 'organization')
  assert.equal((await manager('GET', '/admin/budgets/set-above')).status, 200)
  assert.deepEqual(await statuses(manager, 'set-above'), [403, 403, 403, 403, 403, 403])
  const { body: refused } = await manager('PATCH', '/admin/budgets/set-above', { limit: 50 })
  assert.match(refused.error.message, /Add a tighter one beside it/)
  const own = await manager('POST', '/admin/budgets', { ...budget('tighter', 'project:search'), limit: 2 })
  assert.deepEqual([own.status, own.body.set_by], [201, 'project'])
  assert.equal((await manager('PATCH', '/admin/budgets/tighter', { limit: 3 })).status, 200)
  // What the organization has changed is set by the organization.
  const taken = await owner('PATCH', '/admin/budgets/tighter', { limit: 1 })
  assert.equal(taken.body.set_by, 'organization')
  assert.equal((await manager('DELETE', '/admin/budgets/tighter')).status, 403)
  for (const id of ['set-above', 'tighter']) assert.equal((await owner('DELETE', `/admin/budgets/${id}`)).status, 204)
})

test('a member limits own keys, cannot lift what others have set for them, and limits nothing else', async () => {
  const { as: member, id } = await account('member')
  const { as: manager } = await account('manager')
  const key = (await owner('POST', '/admin/keys', { name: 'mine', project: 'search', user: id })).body.id
  const other = (await owner('POST', '/admin/keys', { name: 'theirs', project: 'search' })).body.id
  const made = await member('POST', '/admin/budgets', budget('mine', `key:${key}`))
  assert.deepEqual([made.status, made.body.set_by], [201, 'own'])
  assert.equal((await member('PATCH', '/admin/budgets/mine', { limit: 4 })).status, 200)
  for (const place of [`key:${other}`, 'project:search', 'all', `user:${id}`, 'end_user:e'])
    assert.equal((await member('POST', '/admin/budgets', budget('no', place))).status, 403, place)
  // Not moved to what is not theirs either.
  assert.equal((await member('PATCH', '/admin/budgets/mine', { applies_to: 'project:search' })).status, 403)
  assert.equal((await manager('POST', '/admin/budgets', budget('by-manager', `key:${key}`))).status, 201)
  assert.deepEqual(await statuses(member, 'by-manager'), [403, 403, 403, 403, 403, 403])
  assert.equal((await manager('PATCH', '/admin/budgets/mine', { limit: 3 })).body.set_by, 'project')
  assert.equal((await member('DELETE', '/admin/budgets/mine')).status, 403)
  for (const limit of ['mine', 'by-manager'])
    assert.equal((await owner('DELETE', `/admin/budgets/${limit}`)).status, 204)
})
