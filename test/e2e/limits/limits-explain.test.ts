import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { SpendingForecast } from '../../../src/contract/admin/forecast.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { runHere } from '../../gateway/gateway-process.ts'

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

type Explained = {
  targets: { model: string; spending: SpendingForecast }[]
  policy: Record<string, unknown>
}

const CHAT = { model: 'fake/priced', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1_000 }

async function explain(body: object = {}, query = ''): Promise<Explained> {
  const response = await scene.admin('POST', `/admin/explain${query}`, { ...CHAT, ...body })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text) as Explained
}

const outcomes = ({ targets }: Explained) => targets.map(({ spending }) => spending.outcome)

test('a dry run lists every limit that the call would touch, with what it would reserve, and reserves nothing', async () => {
  await scene.limit({
    budgets: [
      { id: 'x-month', appliesTo: 'all', limit: 1, window: 'month', timezone: 'Europe/Paris' },
      { id: 'x-other', appliesTo: 'all', limit: 1, window: 'month', models: ['fake/other'] },
    ],
    rateLimits: [{ id: 'x-rpm', appliesTo: 'all', per: 'end_user', unit: 'requests', limit: 60, window: 'minute' }],
  })
  const { targets } = await explain({ user: 'alice', fallbacks: ['fake/other'] })
  const [first, second] = targets.map(({ spending }) => spending)
  assert.deepEqual(
    [first, second].map((spending) => spending!.limits.map(({ id }) => id)),
    [
      ['x-month', 'x-rpm'],
      ['x-month', 'x-other', 'x-rpm'],
    ],
  )
  const [money, rate] = first!.limits
  assert.ok(money!.would_reserve! > 0.002 && money!.would_reserve! < 0.0021, String(money!.would_reserve))
  assert.deepEqual(
    [money!.applies_to, money!.unit, money!.window, money!.timezone, money!.spent, money!.reserved, money!.left],
    ['all', 'usd', 'month', 'Europe/Paris', 0, 0, 1],
  )
  assert.deepEqual([rate!.bucket, rate!.per, rate!.would_reserve, rate!.left], ['alice', 'end_user', 1, 60])
  assert.deepEqual([first!.outcome, money!.outcome, rate!.outcome], ['passes', 'passes', 'passes'])
  const [again] = (await explain({ user: 'alice' })).targets
  assert.deepEqual([again!.spending.limits[0]!.reserved, again!.spending.limits[1]!.left], [0, 60])
  assert.equal(scene.fake.requests.length, 0)
})

test('a dry run says what a call would really get: as it is, shortened, refused, or without a price', async () => {
  const shadow = { id: 'x-shadow', appliesTo: 'all', limit: 0, window: 'month', mode: 'shadow' }
  const clamp = { id: 'x-clamp', appliesTo: 'all', limit: 0.001, window: 'month' }
  await scene.limit({ budgets: [shadow, clamp] })
  const clamped = await explain({ max_tokens: 100_000 })
  assert.deepEqual(outcomes(clamped), ['clamped'])
  assert.deepEqual(
    clamped.targets[0]!.spending.limits.map(({ id, outcome }) => [id, outcome]),
    [
      ['x-clamp', 'clamped'],
      ['x-shadow', 'refused'],
    ],
  )
  await scene.chat({ max_tokens: 100_000 })
  const { max_tokens } = scene.fake.requests[0]!.body as { max_tokens: number }
  assert.equal(clamped.targets[0]!.spending.max_output_tokens, max_tokens)
  await scene.limit({ budgets: [{ ...clamp, id: 'x-refuse', limit: 0.0004 }] })
  assert.deepEqual(outcomes(await explain({ fallbacks: ['fake/unpriced'] })), ['refused', 'unpriced'])
  assert.deepEqual(outcomes(await explain({ max_tokens: 100 })), ['passes'])
  assert.deepEqual(outcomes(await explain({ model: 'sandbox/echo' })), ['passes'])
})

test('what this process has leased is no reason for a refusal', async () => {
  await scene.limit({ budgets: [{ id: 'x-leased', appliesTo: 'all', limit: 0.01, window: 'total' }] })
  assert.equal((await scene.chat()).status, 200)
  const { spending } = (await explain({ max_tokens: 4_000 })).targets[0]!
  const [money] = spending.limits
  assert.ok(money!.free_here > 0 && money!.free_here <= money!.reserved)
  assert.ok(money!.left < money!.would_reserve! && spending.outcome === 'passes', JSON.stringify(money))
  assert.equal((await scene.chat({ max_tokens: 4_000 })).status, 200)
})

test('a dry run shows the policy of the project and of the key together', async () => {
  const policy = { models: ['fake/*'], endpoints: ['chat', 'models'] }
  await scene.admin('POST', '/admin/projects', { id: 'strict', name: 'strict', region: 'global', policy })
  const key = { name: 'k', project: 'strict', policy: { models: ['fake/priced', 'fake/other'], endpoints: ['models'] } }
  const made = (await (await scene.admin('POST', '/admin/keys', key)).json()) as { id: string }
  const { policy: shown } = await explain({}, `?key=${made.id}`)
  assert.deepEqual(shown.models, [['fake/*'], ['fake/priced', 'fake/other']])
  assert.deepEqual([shown.endpoints, shown.allows_chat], [['models'], false])
  assert.deepEqual([shown.region, shown.data_policy], ['global', null])
  const { policy: keyless } = await explain()
  assert.deepEqual([keyless.models, keyless.endpoints, keyless.allows_chat], [[], null, true])
})

test('a refusal names the part of the policy that forbids the call, inside of the error', async () => {
  const policies = {
    models: { models: ['fake/other'] },
    endpoints: { endpoints: ['models'] },
    data_policy: { data_policy: 'no_training' },
  }
  for (const [part, policy] of Object.entries(policies)) {
    const made = (await (await scene.admin('POST', '/admin/keys', { name: part, policy })).json()) as { key: string }
    const error = await errorIn(await scene.chat({}, { authorization: `Bearer ${made.key}` }), 403)
    assert.deepEqual([error.code, error.policy], ['not_allowed', part])
  }
})

test('the command says the same of the limits of the store and of the config file', async () => {
  await scene.limit({ budgets: [{ id: 'x-file', appliesTo: 'all', limit: 1, window: 'total' }] })
  await scene.chat()
  await scene.gateway.gateway.services.calls.ledger.flush()
  const limit = { id: 'x-api', applies_to: 'all', unit: 'tokens', limit: 1_000_000, window: 'day' }
  assert.equal((await scene.admin('POST', '/admin/rate-limits', limit)).status, 201)
  const body = join(scene.folder, 'body.json')
  await writeFile(body, JSON.stringify(CHAT))
  const { code, stdout, stderr } = await runHere(['explain', body], scene.settings)
  assert.equal(code, 0, stderr)
  const [file, api] = (JSON.parse(stdout) as Explained).targets[0]!.spending.limits
  assert.deepEqual([file!.id, api!.id, api!.left], ['x-file', 'x-api', 1_000_000])
  assert.ok(file!.spent > 0 && file!.free_here === 0)
  const alone = await runHere(['explain', body], { ...scene.settings, DATA_DIR: join(scene.folder, 'none') })
  const limits = (JSON.parse(alone.stdout) as Explained).targets[0]!.spending.limits
  assert.deepEqual(
    limits.map(({ id, spent }) => [id, spent]),
    [['x-file', 0]],
  )
  assert.equal((await scene.admin('DELETE', '/admin/rate-limits/x-api')).status, 204)
})
