import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Simulation } from '../../../src/contract/admin/simulation.ts'
import { nextMillisecond } from '../../fakes/stores.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

let scene: LimitsGateway
before(async () => {
  // The commands below read the real clock.
  scene = await startLimitsGateway({ now: Date.now })
  for (let count = 0; count < 3; count++) assert.equal((await scene.chat({ user: `user-${count % 2}` })).status, 200)
  const { ledger, db } = scene.gateway.gateway.services.calls
  await ledger.flush()
  await nextMillisecond(db)
})
after(() => scene.close())

const PLAN = { applies_to: 'all', unit: 'requests', limit: 1, window: 'total', per: 'end_user' }

test('the admin API replays the ledger, and neither limits nor windows are changed by it', async () => {
  const response = await scene.admin('POST', '/admin/rate-limits/simulate', { ...PLAN, days: 2 })
  const found = (await response.json()) as Simulation
  assert.equal(response.status, 200)
  assert.deepEqual([found.requests, found.refused, found.top.map(({ id }) => id)], [3, 1, ['user-0']])
  const { items } = (await (await scene.admin('GET', '/admin/rate-limits')).json()) as { items: object[] }
  assert.deepEqual(items, [])
  const money = await scene.admin('POST', '/admin/budgets/simulate', { applies_to: 'all', limit: 0, window: 'month' })
  assert.equal(((await money.json()) as Simulation).refused, 3)
  const wrong = await scene.admin('POST', '/admin/budgets/simulate', { ...PLAN, unit: undefined, applies_to: 'team:x' })
  assert.equal(wrong.status, 422)
})

test('the command says the same, for people and for programs', async () => {
  const flags = ['--unit', 'requests', '--limit', '1', '--window', 'total', '--per', 'end_user']
  const text = await runHere(['budgets', 'simulate', ...flags], scene.settings)
  assert.equal(text.code, 0, text.stderr)
  assert.match(text.stdout, /^3 calls, 3 requests: 1 would have been refused, 0 clamped, 0 had no price$/m)
  assert.match(text.stdout, /^ {2}user-0 {2}1 of 2 calls refused, 0 clamped, 0 without a price$/m)
  const json = await runHere(['budgets', 'simulate', ...flags, '--model', 'fake/other', '--json'], scene.settings)
  assert.equal((JSON.parse(json.stdout) as Simulation).requests, 0)
  for (const [given, complaint] of [
    [['--limit', 'much', '--window', 'day'], /--limit: /],
    [['--limit', '1'], /--window is required/],
    [['--limit', '1', '--window', 'day', '--tag', 'team'], /--tag must be NAME=VALUE, such as .*, and not team\./],
    [['--limit', '1', '--window', 'day', '--applies-to', 'team:x'], /applies_to: should be all/],
  ] as const) {
    const { code, stderr } = await runHere(['budgets', 'simulate', ...given], scene.settings)
    assert.equal(code, 1)
    assert.match(stderr, complaint)
  }
})

test('limits are listed and shown with what is spent of them', async () => {
  const none = await runHere(['budgets', 'list'], scene.settings)
  assert.match(none.stderr, /There are no budgets/)
  const limit = { id: 'listed', applies_to: 'project:p', limit: 5, window: 'month', mode: 'shadow' }
  assert.equal((await scene.admin('POST', '/admin/budgets', limit)).status, 201)
  const listed = await runHere(['budgets', 'list'], scene.settings)
  assert.match(listed.stdout, /^listed +project:p +5 usd per month +0 spent, 5 left {2}\(api, shadow\)$/m)
  const increase = { amount: 5, until: '2099-01-01T00:00:00.000Z' }
  assert.equal((await scene.admin('PATCH', '/admin/budgets/listed', { increase })).status, 200)
  const raised = await runHere(['budgets', 'list'], scene.settings)
  assert.match(raised.stdout, /10 usd per month +0 spent, 10 left {2}\(api, shadow, 5 more until 2099-01-01T/)
  await scene.admin('PATCH', '/admin/budgets/listed', { increase: null })
  const shown = await runHere(['budgets', 'show', 'listed'], scene.settings)
  assert.equal((JSON.parse(shown.stdout) as { left: number }).left, 5)
  const missing = await runHere(['budgets', 'show', 'nothing'], scene.settings)
  assert.deepEqual(
    [missing.code, /There is no such limit\. `gatehouse budgets list` shows all limits\./.test(missing.stderr)],
    [1, true],
  )
})
