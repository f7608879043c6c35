import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ReplayedGuardrail } from '../../../src/contract/admin/guardrails.ts'
import { answer } from '../../fakes/behaviours.ts'
import { service } from '../../fakes/guard-services/service.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { firstOwner, invited } from '../../gateway/people-under-test.ts'

// A guardrail is tried on what a project has kept of its calls.

let scene: LimitsGateway
let checker: FakeProvider
let ids: string[]
before(async () => {
  checker = await startFakeProvider({ everyPath: true })
  scene = await startLimitsGateway()
  await scene.admin('PATCH', '/admin/projects/default', { content: { mode: 'full' } })
  await scene.limit({
    guardrails: [{ id: 'birds', appliesTo: 'all', mode: 'shadow', ...block('falcon'), sample: 0 }],
  })
  ids = []
  for (const [asked, answered] of [
    ['A sparrow.', 'Yes.'],
    ['A falcon and a falcon.', 'Yes.'],
    ['Which bird?', 'The falcon.'],
  ] as const) {
    scene.fake.next(answer({ content: answered }))
    const reply = await scene.chat({ messages: [{ role: 'user', content: asked }] })
    await reply.text()
    await scene.gateway.gateway.services.calls.contents.written()
    ids.push(reply.headers.get('x-request-id')!)
  }
})
after(async () => {
  await scene.close()
  await checker.close()
})
beforeEach(() => {
  checker.reset()
  checker.always(service(() => ({ action: 'block', reasons: ['prey'] })))
})

const block = (word: string) => ({ checks: [{ check: 'patterns', words: [word] }], action: 'block' })
const COUNTS = { passed: 0, flagged: 0, would_redact: 0, would_block: 0, unscanned: 0 }

async function replayed(body: object): Promise<ReplayedGuardrail> {
  const reply = await scene.admin('POST', '/admin/guardrails/replay', { project: 'default', ...body })
  assert.equal(reply.status, 200)
  return (await reply.json()) as ReplayedGuardrail
}

test('a draft and a stored guardrail say which calls they would refuse, without a text', async () => {
  const expected = {
    calls: 3,
    is_complete: true,
    ...COUNTS,
    passed: 1,
    would_block: 2,
    not_asked: [],
    cost: 0,
    requests: [ids[2], ids[1]].map((id) => ({ id, outcome: 'would_block', found: ['patterns: word 0'] })),
  }
  for (const body of [block('falcon'), { guardrail: 'birds' }]) {
    const answered = await replayed(body)
    assert.deepEqual(answered, expected)
    assert.ok(!JSON.stringify(answered).includes('falcon'))
  }
  const redacting = await replayed({ ...block('falcon'), action: 'redact', phases: ['output'] })
  assert.deepEqual(redacting.requests, [{ id: ids[2], outcome: 'would_redact', found: ['patterns: word 0'] }])
  assert.equal((await replayed({ ...block('falcon'), calls: 1 })).calls, 1)
  const log = (await (await scene.admin('GET', '/admin/audit?action=content.replay')).json()) as { items: object[] }
  assert.equal(log.items.length, 4)
})

test('services are asked only if the request says so', async () => {
  const draft = { checks: [{ check: 'external', url: `${checker.url}/check` }], action: 'flag' }
  const quiet = await replayed(draft)
  assert.deepEqual([quiet.passed, quiet.not_asked, checker.requests.length], [3, ['external'], 0])
  const asked = await replayed({ ...draft, ask: true, calls: 1 })
  assert.deepEqual([asked.flagged, asked.not_asked], [1, []])
  assert.ok(checker.requests.length > 0)
})

test('a person who may not read the contents of all calls of a project replays none', async () => {
  const owner = await firstOwner(scene.gateway)
  const { body: project } = await owner('POST', '/admin/projects', { name: 'Research' })
  const manager = await invited(owner, scene.gateway, {
    email: 'mia@example.com',
    role: 'manager',
    project: project.id,
  })
  const body = { ...block('falcon'), project: project.id }
  assert.equal((await manager('POST', '/admin/guardrails/replay', body)).status, 404)
  assert.equal((await manager('POST', '/admin/guardrails/replay', { ...body, project: 'default' })).status, 404)
  await owner('PATCH', `/admin/projects/${project.id}`, { content: { mode: 'full', managers_read: true } })
  assert.equal((await manager('POST', '/admin/guardrails/replay', body)).status, 200)
})
