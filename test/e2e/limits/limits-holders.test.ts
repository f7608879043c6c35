import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { type Client, operator } from '../../gateway/people-under-test.ts'

// Two callers that have nothing in common: each of them is limited by what applies to it, and by nothing else.

type Who = { key: string; id: string; user: string; project: string; organization: string }

let scene: LimitsGateway
let admin: Client
let here: Who
let there: Who
before(async () => {
  scene = await startLimitsGateway()
  admin = operator(scene.gateway)
})
after(() => scene.close())

test('an organization is shown from the second one on', async () => {
  const { body: project } = await admin('POST', '/admin/projects', { id: 'here', name: 'here' })
  assert.ok(!('organization' in project))
  await admin('POST', '/admin/organizations', { id: 'acme', name: 'acme' })
  assert.equal((await admin('GET', '/admin/projects/here')).body.organization, 'default')
  await admin('POST', '/admin/projects', { id: 'there', name: 'there', organization: 'acme' })
  here = await caller('here', 'default')
  there = await caller('there', 'acme')
})

test('a limit of an organization, a project, a user, a key or an end user is about its calls only', async () => {
  const holders = [`organization:default`, `project:here`, `user:${here.user}`, `key:${here.id}`, 'end_user:here']
  for (const appliesTo of holders) {
    await scene.limit({ budgets: [{ id: 'none', appliesTo, limit: 0, window: 'month' }] })
    assert.deepEqual([await statusOf(here), await statusOf(there)], [402, 200], appliesTo)
  }
  await scene.limit({ budgets: [{ id: 'none', appliesTo: 'all', limit: 0, window: 'month' }] })
  assert.deepEqual([await statusOf(here), await statusOf(there)], [402, 402])
})

test('a limit may be counted for each key, user or end user apart', async () => {
  for (const per of ['key', 'user', 'end_user']) {
    const limit = { id: `one-${per}`, appliesTo: 'all', per, unit: 'requests', limit: 1, window: 'month' }
    await scene.limit({ rateLimits: [limit] })
    const statuses = [await statusOf(here), await statusOf(there), await statusOf(here), await statusOf(there)]
    assert.deepEqual(statuses, [200, 200, 429, 429], per)
  }
  const shared = { id: 'one-shared', appliesTo: 'all', unit: 'requests', limit: 1, window: 'month' }
  await scene.limit({ rateLimits: [shared] })
  assert.deepEqual([await statusOf(here), await statusOf(there)], [200, 429])
})

test('a limit of one provider or endpoint leaves the others alone', async () => {
  for (const only of [{ providers: ['chatting'] }, { endpoints: ['images'] }, { tags: { team: 'other' } }]) {
    await scene.limit({ budgets: [{ id: 'none', appliesTo: 'all', limit: 0, window: 'month', ...only }] })
    assert.equal(await statusOf(here), 200, JSON.stringify(only))
  }
  await scene.limit({ budgets: [{ id: 'none', appliesTo: 'all', limit: 0, window: 'month', providers: ['fake'] }] })
  assert.equal(await statusOf(here), 402)
})

test('a limit finds an end user and a tag by the name that requests give, however long or odd it is', async () => {
  await scene.limit({})
  for (const name of ['two\nlines', 'é'.repeat(200), 'x'.repeat(900)]) {
    const labels = { user: name, metadata: { team: name.slice(0, 250) } }
    for (const only of [
      { applies_to: `end_user:${name}` },
      { applies_to: 'all', tags: { team: labels.metadata.team } },
    ]) {
      const made = await admin('POST', '/admin/budgets', { limit: 0, window: 'month', ...only })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const refused = await scene.chat(labels)
      assert.equal(refused.status, 402, `${name} ${JSON.stringify(only)} ${await refused.text()}`)
      await admin('DELETE', `/admin/budgets/${made.body.id}`)
    }
  }
})

async function caller(project: string, organization: string): Promise<Who> {
  const { body: user } = await admin('POST', '/admin/users', { name: 'robot', role: 'member', project })
  const { body } = await admin('POST', '/admin/keys', { name: 'k', project, user: user.id })
  return { key: body.key, id: body.id, user: user.id, project, organization }
}

async function statusOf({ key, project }: Who): Promise<number> {
  const reply = await scene.chat({ max_tokens: 9, user: project }, { authorization: `Bearer ${key}` })
  await reply.arrayBuffer()
  return reply.status
}
