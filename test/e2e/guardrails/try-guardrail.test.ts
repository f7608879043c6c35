import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer, status } from '../../fakes/behaviours.ts'
import { presidio } from '../../fakes/guard-services/presidio.ts'
import { EMAIL } from '../../fakes/guard-services/service.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { firstOwner, invited } from '../../gateway/people-under-test.ts'

let scene: LimitsGateway
let analyzer: FakeProvider
before(async () => {
  scene = await startLimitsGateway()
  analyzer = await startFakeProvider({ everyPath: true })
})
beforeEach(() => {
  scene.fake.reset()
  analyzer.reset()
})
after(async () => {
  await scene.close()
  await analyzer.close()
})

type Body = Record<string, unknown>

async function tried(body: object): Promise<Body> {
  const response = await scene.admin('POST', '/admin/guardrails/test', body)
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as Body
}

/** The requests of the log, newest first. */
async function loggedCalls(): Promise<Body[]> {
  await scene.gateway.gateway.services.calls.ledger.flush()
  const response = await scene.admin('GET', '/admin/requests')
  return ((await response.json()) as { items: Body[] }).items
}

const JUDGE = { check: 'judge', model: 'fake/priced', instructions: 'No tax advice.', reasons: ['tax'] }
const said = (verdict: string, reason_code: string) => answer({ content: JSON.stringify({ verdict, reason_code }) })

describe('trying a guardrail', () => {
  test('a draft shows what would follow, without a call and without cost', async () => {
    const draft = { checks: [{ check: 'personal_data', kinds: ['email'] }], text: 'Write to zoe@example.com.' }
    assert.deepEqual(await tried({ ...draft, action: 'redact' }), {
      outcome: 'redacted',
      found: ['personal_data: email'],
      failed: [],
      text: 'Write to [EMAIL_1].',
      cost: 0,
    })
    assert.deepEqual((await tried({ ...draft, action: 'flag' })).text, draft.text)
    assert.deepEqual(await tried({ ...draft, action: 'block' }), {
      outcome: 'blocked',
      found: ['personal_data: email'],
      failed: [],
      text: null,
      cost: 0,
    })
    assert.equal((await tried({ ...draft, text: 'Hello.', action: 'block' })).outcome, 'passed')
    assert.deepEqual(await loggedCalls(), [])
  })

  test('a guardrail that exists is tried as if it enforced for every call', async () => {
    const created = await scene.admin('POST', '/admin/guardrails', {
      id: 'later',
      applies_to: 'all',
      action: 'block',
      mode: 'shadow',
      sample: 0,
      checks: [{ check: 'personal_data', kinds: ['email'] }],
    })
    assert.equal(created.status, 201, await created.clone().text())
    const { outcome } = await tried({ guardrail: 'later', text: 'zoe@example.com' })
    assert.equal(outcome, 'blocked')
    const unknown = await scene.admin('POST', '/admin/guardrails/test', { guardrail: 'none', text: 'x' })
    assert.equal(unknown.status, 404)
    await scene.admin('DELETE', '/admin/guardrails/later')
  })

  test('services are asked after the checks inside of the gateway', async () => {
    analyzer.always(presidio)
    const endpoint = analyzer.url.slice(0, -'/v1'.length)
    const checks = [
      { check: 'presidio', endpoint, entities: ['EMAIL_ADDRESS'] },
      { check: 'patterns', words: ['tulip'] },
    ]
    const { outcome, text, found } = await tried({ checks, action: 'redact', text: `A tulip for ${EMAIL}.` })
    assert.deepEqual([outcome, found], ['redacted', ['patterns: word 0', 'presidio: EMAIL_ADDRESS']])
    assert.doesNotMatch(String(text), /tulip|example\.com/)
    assert.doesNotMatch(analyzer.requests[0]!.text, /tulip/)
  })

  test('a check that fails is said, and what it means', async () => {
    analyzer.always(status(500, { error: 'x' }))
    const checks = [{ check: 'presidio', endpoint: analyzer.url }]
    const failed = await tried({ checks, action: 'block', text: 'Hello.' })
    assert.deepEqual([failed.outcome, failed.failed, failed.text], ['failed', ['presidio: failed'], null])
    const passed = await tried({ checks, action: 'flag', text: 'Hello.' })
    assert.deepEqual([passed.outcome, passed.failed, passed.text], ['passed', ['presidio: failed'], 'Hello.'])
  })

  test('what a model costs is in the ledger, and the project pays', async () => {
    scene.fake.next(said('fail', 'tax'))
    const { outcome, found, cost } = await tried({ checks: [JUDGE], action: 'block', text: 'Deduct it.' })
    assert.deepEqual([outcome, found], ['blocked', ['judge: tax']])
    assert.ok(Number(cost) > 0)
    const [line] = await loggedCalls()
    assert.deepEqual([line?.endpoint, line?.cost, line?.project], ['universal', cost, 'personal'])
    const { body } = scene.fake.requests[0]!
    assert.match(JSON.stringify(body), /No tax advice/)
  })

  test('a question that can cost more than the check may spend is not asked', async () => {
    scene.fake.always(said('pass', 'none'))
    const rows: [object, string][] = [
      [{ max_cost: 0.000_001 }, 'failed'],
      [{ max_cost: 1 }, 'passed'],
      [{ max_cost: 1, model: 'fake/unpriced' }, 'failed'],
      [{ model: 'fake/unpriced' }, 'passed'],
    ]
    for (const [more, outcome] of rows)
      assert.equal(
        (await tried({ checks: [{ ...JUDGE, ...more }], action: 'block', text: 'Hello.' })).outcome,
        outcome,
        JSON.stringify(more),
      )
    assert.equal(scene.fake.requests.length, 2)
  })

  test('a judge that does not finish, or says something else, has not judged', async () => {
    for (const behaviour of [answer({ content: 'It passes.' }), answer({ content: '' }), status(500, { error: 'x' })]) {
      scene.fake.always(behaviour)
      assert.equal((await tried({ checks: [JUDGE], action: 'block', text: 'Hello.' })).outcome, 'failed')
    }
  })

  test('moderation is the task of the gateway', async () => {
    const checks = [{ check: 'moderation', provider: 'sandbox', threshold: 0.9 }]
    const { outcome, found } = await tried({ checks, action: 'flag', text: 'Anything.' })
    assert.deepEqual([outcome, found], ['flagged', ['moderation: insult']])
  })

  test('names are found by the task of the gateway, and replaced in each text', async () => {
    const checks = [{ check: 'anonymization', provider: 'local', kinds: ['Name'] }]
    const found = await tried({
      checks,
      action: 'redact',
      timeout_ms: 30_000,
      text: 'I met Ada Lovelace and John Smith in London.',
    })
    assert.deepEqual(found, {
      outcome: 'redacted',
      found: ['anonymization: Name'],
      failed: [],
      text: 'I met [NAME_1] and [NAME_2] in London.',
      cost: 0,
    })
    const passed = await tried({ checks, action: 'redact', timeout_ms: 30_000, text: 'We met in the park.' })
    assert.deepEqual([passed.outcome, passed.text], ['passed', 'We met in the park.'])
  })

  test('what is wrong with a draft is said with its place', async () => {
    for (const body of [
      { text: 'x' },
      { text: 'x', action: 'block', checks: [{ check: 'judge' }] },
      { text: 'x', action: 'block', checks: [{ check: 'external', url: 'http://a@b/' }] },
    ])
      assert.equal((await scene.admin('POST', '/admin/guardrails/test', body)).status, 422, JSON.stringify(body))
  })
})

test('an address of the installation’s network is for those who run the installation', async () => {
  const owner = await firstOwner(scene.gateway)
  const project = await owner('POST', '/admin/projects', { name: 'Research' })
  assert.equal(project.status, 201, JSON.stringify(project.body))
  const manager = await invited(owner, scene.gateway, {
    email: 'mia@example.com',
    role: 'manager',
    project: project.body.id,
  })
  const outside = { checks: [{ check: 'presidio', endpoint: analyzer.url }], action: 'flag', text: 'x' }
  assert.equal((await manager('POST', '/admin/guardrails/test', outside)).status, 403)
  const inside = { checks: [{ check: 'secrets' }], action: 'flag', text: 'x' }
  assert.equal((await manager('POST', '/admin/guardrails/test', inside)).status, 200)
  assert.equal(analyzer.requests.length, 0)
})
