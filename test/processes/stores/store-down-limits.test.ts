import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { startPostgres } from '../../fakes/postgres.ts'
import { errorIn, startLimitsGateway } from '../../gateway/limits-gateway.ts'

const CAP = 1
const MAX_CALLS = 200

test('with the store away, what is leased is spent, then 503, and never more than the budget', async (t) => {
  const postgres = await startPostgres()
  if ('skip' in postgres) return t.skip(postgres.skip)
  await using closing = new AsyncDisposableStack()
  closing.defer(postgres.stop)
  const scene = await startLimitsGateway({}, { DATABASE_URL: postgres.url })
  closing.defer(scene.close)
  await scene.limit({ budgets: [{ id: 'away', appliesTo: 'all', limit: CAP, window: 'total', onExceeded: 'refuse' }] })
  const free = () =>
    scene.gateway.gateway.services.calls.spendLimits.shares.list[Symbol.iterator]().next().value!.share.free
  assert.equal((await scene.chat()).status, 200)
  await postgres.interrupt()
  const leased = free()
  assert.ok(leased > 0 && leased < CAP * 1e9)
  scene.fake.reset()
  // A call that costs what it reserved: 1,000 tokens to write.
  const usage = { prompt_tokens: 0, completion_tokens: 1_000, total_tokens: 1_000 }
  scene.fake.always(answer({ usage }))
  let refused: Response | undefined
  for (let calls = 0; calls < MAX_CALLS && !refused; calls++) {
    const response = await scene.chat()
    if (response.status === 200) await response.arrayBuffer()
    else refused = response
  }
  const sent = scene.fake.requests.length
  assert.ok(sent > 0 && sent * 0.002 * 1e9 <= leased, `${sent} calls with a lease of ${leased}`)
  assert.ok(refused!.headers.get('retry-after'))
  const error = await errorIn(refused!, 503)
  assert.equal(error.code, 'unavailable')
  await postgres.resume()
  await t.waitFor(async () => assert.equal((await scene.chat()).status, 200), { interval: 50, timeout: 60_000 })
  await scene.gateway.gateway.services.calls.ledger.flush()
  const { spent } = (await (await scene.admin('GET', '/admin/budgets/away')).json()) as { spent: number }
  assert.ok(spent >= sent * 0.002 && spent <= CAP)
})

test('a process that spends evenly goes on for 45 seconds without the store, and then says why it cannot', async (t) => {
  const postgres = await startPostgres()
  if ('skip' in postgres) return t.skip(postgres.skip)
  await using closing = new AsyncDisposableStack()
  closing.defer(postgres.stop)
  let passed = 0
  const monotonic = () => Math.floor(performance.now()) + passed
  const scene = await startLimitsGateway({ monotonic }, { DATABASE_URL: postgres.url })
  closing.defer(scene.close)
  const rates = [{ id: 'rpm', appliesTo: 'all', unit: 'requests', limit: 1_000, window: 'minute' }]
  const budgets = [{ id: 'steady', appliesTo: 'all', limit: 5, window: 'total', onExceeded: 'refuse' }]
  await scene.limit({ budgets, rateLimits: rates })
  const { shares } = scene.gateway.gateway.services.calls.spendLimits
  const usage = { prompt_tokens: 0, completion_tokens: 900, total_tokens: 900 }
  /** One call a second. */
  const statusOf = async () => {
    passed += 1_000
    const response = await scene.chat()
    await response.arrayBuffer()
    return response.status
  }
  scene.fake.always(answer({ usage }))
  for (let second = 0; second < 20; second++) {
    assert.equal(await statusOf(), 200)
    await shares.tend()
    for (const { share } of shares.list) await share.tell()
  }
  await postgres.interrupt()
  for (let second = 0; second < 45; second++) assert.equal(await statusOf(), 200, `second ${second}`)
  passed += 6_000
  const refused = await scene.chat()
  assert.match(String((await errorIn(refused, 503)).message), /cannot look up the budgets and rate limits/)
  assert.ok(refused.headers.get('retry-after'))
})
