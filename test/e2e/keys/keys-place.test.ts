import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CreatedKey, KeySummary } from '../../../src/contract/admin/keys.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { firstOwner, invited } from '../../gateway/people-under-test.ts'

// The project and the user of a key: on the command line, and when the key is changed or rotated.

describe('where a key belongs', () => {
  let gateway: GatewayUnderTest
  let admin: AdminClient
  before(async () => {
    gateway = await startGateway()
    admin = adminClient(gateway.adminUrl)
    for (const id of ['team-a', 'team-b']) await admin.post('/admin/projects', { id, name: id })
  })
  after(() => gateway.close())

  const keys = (...args: string[]) =>
    runHere(['keys', ...args], { DATA_DIR: gateway.gateway.services.calls.config.dataDir })

  test('keys create puts the key into a project that exists, and keys list shows both', async () => {
    const made = await keys('create', '--name', 'app', '--project', 'team-a', '--user', 'mia')
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stderr, /\(live, project team-a\)/)
    const id = /Key (\S+) /.exec(made.stderr)![1]!
    const { project, user, owner } = (await admin.get<KeySummary>(`/admin/keys/${id}`)).body
    assert.deepEqual([project, user, owner], ['team-a', 'mia', 'team-a'])
    assert.match((await keys('list')).stdout, new RegExp(`^${id} .* {2}team-a \\(user mia\\) {2}app$`, 'm'))
    assert.match((await keys('show', id)).stdout, /^project +team-a\nuser +mia$/m)
    const mistyped = await keys('create', '--name', 'b', '--scope', 'model:opnai/*', '--scope', 'model:team/chat')
    assert.deepEqual(
      [mistyped.code, mistyped.stderr.match(/Warning: .*/g)],
      [0, ["Warning: there is no provider 'opnai' here. Did you mean --scope model:openai/*?"]],
    )
    const refused = await keys('create', '--name', 'app', '--project', 'nowhere')
    assert.deepEqual(
      [refused.code, /--project: There is no such project\. Name it as the owner to create it/.test(refused.stderr)],
      [1, true],
    )
  })

  test('keys update and keys rotate move a key and hand it over', async () => {
    const { id } = await admin.issue({ name: 'moving', project: 'team-a', user: 'mia' })
    const moved = await keys('update', id, '--project', 'team-b', '--no-user')
    assert.match(moved.stdout, /^project +team-b\nuser +none\nowner +team-b$/m)
    const rotated = await keys('rotate', id, '--project', 'team-a', '--user', 'max')
    assert.equal(rotated.code, 0, rotated.stderr)
    assert.match((await keys('show', id)).stdout, /^project +team-a\nuser +max$/m)
    assert.match((await keys('rotate', id, '--user', 'x', '--no-user')).stderr, /Use either --user or --no-user\./)
  })

  test('a rotation with another project or user is one change: if one part is refused, nothing happens', async () => {
    const made = await admin.issue({ name: 'rotated', project: 'team-a' })
    const rotate = (body: object) => admin.post<CreatedKey & Refusal>(`/admin/keys/${made.id}/rotate`, body)
    const { status, body } = await rotate({ project: 'team-b', user: 'mia', overlap_seconds: 60 })
    assert.deepEqual([status, body.project, body.user, body.owner], [200, 'team-b', 'mia', 'team-b'])
    assert.notEqual(body.key, made.key)
    const refused = await rotate({ project: 'nowhere' })
    assert.deepEqual([refused.status, refused.body.detail[0]?.loc], [422, ['body', 'project']])
    assert.equal((await admin.get<KeySummary>(`/admin/keys/${made.id}`)).body.last4, body.last4)
    assert.equal((await rotate({ user: null })).body.user, null)
    const { items } = (await admin.get<{ items: { action: string; after: object }[] }>('/admin/audit?limit=10')).body
    const logged = items.filter(({ action }) => action === 'key.rotate').map(({ after }) => Object.keys(after).sort())
    assert.ok(
      logged.some((names) => names.join() === 'last4,overlap_seconds,project,user'),
      JSON.stringify(logged),
    )
  })

  test('who may only change keys of one project moves no key elsewhere, and gives it to members only', async () => {
    const owner = await firstOwner(gateway)
    const manager = await invited(owner, gateway, { email: 'max@example.com', role: 'manager', project: 'team-a' })
    const member = await invited(owner, gateway, { email: 'mia@example.com', role: 'member', project: 'team-a' })
    const { id } = (await manager('POST', '/admin/keys', { name: 'managed', project: 'team-a' })).body
    const rotate = (body: object) => manager('POST', `/admin/keys/${id}/rotate`, body)
    assert.equal((await rotate({ project: 'team-b' })).status, 403)
    assert.equal((await rotate({ user: 'unknown' })).status, 422)
    assert.equal((await rotate({ user: member.id })).body.user, member.id)
    // The key is the member's own now. A member cannot hand it over.
    assert.equal((await member('POST', `/admin/keys/${id}/rotate`, { user: manager.id })).status, 403)
    assert.equal((await member('POST', `/admin/keys/${id}/rotate`, {})).status, 200)
    assert.equal((await manager('PATCH', `/admin/keys/${id}`, { name: 'still managed' })).status, 200)
  })
})
