import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Windows begin and end by the clock of the gateway, which these tests move. The tests run in the order of time.

let now = Date.parse('2028-02-29T22:59:00Z')
let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway({ now: () => now })
})
after(() => scene.close())

const daily = (id: string, more: object = {}) => ({
  id,
  appliesTo: 'all',
  unit: 'requests',
  limit: 1,
  window: 'day',
  timezone: 'Europe/Paris',
  ...more,
})

async function statuses(count: number): Promise<number[]> {
  const found: number[] = []
  for (let index = 0; index < count; index++) found.push((await scene.chat()).status)
  return found
}

async function at(moment: string, count = 2): Promise<number[]> {
  now = Date.parse(moment)
  return await statuses(count)
}

test('a leap day ends at midnight in Paris, and with it the month', async () => {
  const monthly = { ...daily('leap-month', { limit: 3, window: 'month' }) }
  await scene.limit({ rateLimits: [daily('leap-day'), monthly] })
  assert.deepEqual(await at('2028-02-29T22:59:00Z'), [200, 429])
  // March begins in Paris, an hour before it does in UTC.
  assert.deepEqual(await at('2028-02-29T23:00:00Z'), [200, 429])
  const { spent } = (await (await scene.admin('GET', '/admin/rate-limits/leap-month')).json()) as { spent: number }
  assert.ok(spent <= 1, `only what March has used: ${spent}`)
})

test('a day in which Paris changes its clocks is one day, with 23 and with 25 hours', async () => {
  await scene.limit({ rateLimits: [daily('summer')] })
  assert.deepEqual(await at('2028-03-25T23:00:00Z'), [200, 429])
  assert.deepEqual(await at('2028-03-26T21:59:59Z', 1), [429])
  assert.deepEqual(await at('2028-03-26T22:00:00Z'), [200, 429])
  assert.deepEqual(await at('2028-10-28T22:00:00Z'), [200, 429])
  assert.deepEqual(await at('2028-10-29T22:59:59Z', 1), [429])
  assert.deepEqual(await at('2028-10-29T23:00:00Z'), [200, 429])
})

test('a call that ends in the next month is charged to the month in which it began', async () => {
  await scene.limit({ rateLimits: [daily('ends', { window: 'month' })] })
  now = Date.parse('2028-11-30T22:59:59Z')
  const running = Promise.withResolvers<void>()
  scene.fake.next(async (_, response) => {
    await running.promise
    response.writeHead(500).end()
  })
  const late = scene.chat({ fallbacks: ['fake/other'] })
  await scene.fake.request(scene.fake.requests.length)
  assert.deepEqual(await at('2028-11-30T23:00:00Z', 1), [200])
  running.resolve()
  await late
  assert.deepEqual(await statuses(1), [429])
})

test('another amount counts at once, with what was spent; a smaller one refuses, and a reset forgives', async () => {
  now = Date.parse('2028-12-05T12:00:00Z')
  const limit = { ...daily('changed'), applies_to: 'all', appliesTo: undefined, limit: 2 }
  await scene.limit({})
  assert.equal((await scene.admin('POST', '/admin/rate-limits', limit)).status, 201)
  assert.deepEqual(await statuses(3), [200, 200, 429])
  await scene.gateway.gateway.services.calls.ledger.flush()
  const change = (body: object) => scene.admin('PATCH', '/admin/rate-limits/changed', body)
  assert.equal((await change({ limit: 3 })).status, 200)
  assert.deepEqual(await statuses(2), [200, 429])
  await scene.gateway.gateway.services.calls.ledger.flush()
  await change({ limit: 1 })
  assert.deepEqual(await statuses(1), [429])
  await scene.admin('POST', '/admin/rate-limits/changed/reset')
  await change({ limit: 2 })
  assert.deepEqual(await statuses(3), [200, 200, 429])
  await scene.admin('DELETE', '/admin/rate-limits/changed')
})

test('an increase that ends takes with it what was leased of it', async () => {
  now = Date.parse('2028-12-06T12:00:00Z')
  const increase = { amount: 98, until: '2028-12-06T13:00:00Z' }
  await scene.limit({ rateLimits: [{ ...daily('increased'), limit: 2, increase }] })
  assert.deepEqual(await statuses(4), [200, 200, 200, 200])
  assert.deepEqual(await at('2028-12-06T12:59:59Z', 1), [200])
  assert.deepEqual(await at('2028-12-06T13:00:00Z', 2), [429, 429])
  await scene.limit({})
})

test('the unit of a limit stays, because what was spent was counted in it', async () => {
  now = Date.parse('2028-12-07T12:00:00Z')
  const limit = { id: 'tokens', applies_to: 'all', unit: 'tokens', limit: 100_000, window: 'day' }
  assert.equal((await scene.admin('POST', '/admin/rate-limits', limit)).status, 201)
  assert.deepEqual(await statuses(3), [200, 200, 200])
  await scene.gateway.gateway.services.calls.ledger.flush()
  const change = (body: object) => scene.admin('PATCH', '/admin/rate-limits/tokens', body)
  const refused = await change({ unit: 'requests', limit: 10 })
  assert.deepEqual(
    [refused.status, ((await refused.json()) as { error: { param: string } }).error.param],
    [422, 'unit'],
  )
  assert.equal((await change({ unit: 'tokens', limit: 200_000 })).status, 200)
  assert.deepEqual(await statuses(1), [200])
  await scene.admin('DELETE', '/admin/rate-limits/tokens')
  const sliding = { id: 'sliding', applies_to: 'all', unit: 'requests', limit: 10, window: 'minute' }
  await scene.admin('POST', '/admin/rate-limits', sliding)
  assert.equal((await scene.admin('PATCH', '/admin/rate-limits/sliding', { unit: 'tokens' })).status, 422)
  await scene.admin('DELETE', '/admin/rate-limits/sliding')
})

test('a limit that is added to a key counts from then on, not what the key has used before', async () => {
  now = Date.parse('2028-12-10T12:00:00Z')
  assert.deepEqual(await statuses(3), [200, 200, 200])
  await scene.gateway.gateway.services.calls.ledger.flush()
  const limit = { id: 'added', applies_to: 'key:env-live', unit: 'requests', limit: 1, window: 'total' }
  assert.equal((await scene.admin('POST', '/admin/rate-limits', limit)).status, 201)
  assert.deepEqual(await statuses(2), [200, 429])
  await scene.admin('DELETE', '/admin/rate-limits/added')
})
