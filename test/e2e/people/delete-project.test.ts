import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silence } from '../../fakes/behaviours.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// A project is deleted while one of its jobs waits for a provider that does not answer.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
after(() => scene.close())

test('a project with unfinished jobs is deleted by force only, which gives them up; its ledger lines keep its name', async () => {
  await scene.admin('POST', '/admin/projects', { id: 'busy', name: 'The busy one' })
  const { key } = (await (await scene.admin('POST', '/admin/keys', { name: 'k', project: 'busy' })).json()) as {
    key: string
  }
  const headers = { authorization: `Bearer ${key}` }
  assert.equal((await scene.chat({}, headers)).status, 200)
  scene.fake.always(silence())
  const task = { model: 'text/summarize/fake/priced', input: { text: 'A long text.' } }
  assert.equal((await scene.post('/v3/universal-ai/async', task, headers)).status, 202)
  await scene.fake.request(1)

  const refused = await scene.admin('DELETE', '/admin/projects/busy')
  assert.equal(refused.status, 409)
  assert.match(await refused.text(), /unfinished jobs/)
  assert.equal((await scene.admin('GET', '/admin/projects/busy')).status, 200)

  assert.equal((await scene.admin('DELETE', '/admin/projects/busy?force=true')).status, 204)
  assert.equal((await scene.chat({}, headers)).status, 401, 'its keys are revoked at once')
  assert.equal((await scene.admin('GET', '/admin/projects/busy')).status, 404)
  const { db } = scene.gateway.gateway.services.calls
  assert.deepEqual(await db.query("SELECT id FROM jobs WHERE project = 'busy'"), [])
  const usage = await (await scene.admin('GET', '/admin/usage?group_by=project')).json()
  const { items } = usage as { items: { group: string; name: string; requests: number }[] }
  const line = items.find(({ group }) => group === 'busy')!
  assert.deepEqual([line.name, line.requests >= 1], ['The busy one', true])
})
