import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer, failure, silence } from '../fakes/behaviours.ts'
import { API_KEY } from './gateway-under-test.ts'
import { idle } from './gateway-with-fakes.ts'
import { type LimitsGateway, startLimitsGateway } from './limits-gateway.ts'

// Answers that nobody gets are booked, because their providers are paid all the same.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

const USAGE = { prompt_tokens: 100, completion_tokens: 1_000, total_tokens: 1_100 }
const CALLED = { id: 'call_1', type: 'function', function: { name: 'open', arguments: '{"door": "fr' } }
/** It costs 0.0021 USD, and its tool call breaks off. */
const CUT_OFF = answer({ message: { tool_calls: [CALLED] }, usage: USAGE })

let made = 0
function budget(limit: number, more: object = {}) {
  return { id: `paid-${made++}`, appliesTo: 'all', limit, window: 'month', ...more }
}

async function spentOf({ id }: { id: string }): Promise<number> {
  await scene.gateway.gateway.context.ledger.flush()
  const { spent } = (await (await scene.admin('GET', `/admin/budgets/${id}`)).json()) as { spent: number }
  return spent
}

test('answers that were paid are booked, also if another one of the same call failed', async () => {
  for (const stream of [false, true]) {
    const limit = budget(1)
    await scene.limit({ budgets: [limit] })
    scene.fake.reset()
    for (const behaviour of [answer(), answer(), failure(400)]) scene.fake.next(behaviour)
    const { status: code } = await scene.chat({ model: 'chatting/priced', n: 3, stream })
    assert.equal(code, 400)
    const spent = await spentOf(limit)
    assert.ok(spent > 0, `${stream ? 'streamed' : 'whole'}: ${spent}`)
  }
})

test('an answer that is of no use was paid too, and a retry is reserved beside it', async () => {
  const limit = budget(0.005)
  await scene.limit({ budgets: [limit] })
  scene.fake.always(CUT_OFF)
  assert.equal((await scene.chat()).status, 502)
  const spent = await spentOf(limit)
  assert.equal(spent, 0.0021 * scene.fake.requests.length)
})

test('a second answer for a hook that is of no use was paid too', async () => {
  const limit = budget(1)
  await scene.limit({ budgets: [limit] })
  scene.fake.next(answer({ usage: USAGE }))
  scene.fake.always(CUT_OFF)
  const params = { json_schema: { type: 'object', required: ['a'] }, retry: true, on_failure: 'pass' }
  assert.equal((await scene.chat({ post_hooks: [{ action: 'json_heal', params }] })).status, 200)
  assert.ok(scene.fake.requests.length > 1)
  const spent = await spentOf(limit)
  assert.equal(spent, Number((0.0021 * scene.fake.requests.length).toFixed(9)))
})

test('whoever leaves before the answer has spent the prompt all the same', async () => {
  const limit = budget(0.01, { onExceeded: 'refuse' })
  await scene.limit({ budgets: [limit] })
  scene.fake.always(silence())
  const messages = [{ role: 'user', content: 'x'.repeat(4_000) }]
  for (let left = 0; left < 2; left++) {
    const leave = new AbortController()
    const sent = fetch(`${scene.gateway.url}/v3/chat/completions`, {
      method: 'POST',
      signal: leave.signal,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake/priced', messages, max_tokens: 100 }),
    })
    const { closed } = await scene.fake.request(left)
    leave.abort()
    await assert.rejects(sent)
    await closed
  }
  await idle(scene.gateway)
  const spent = await spentOf(limit)
  assert.ok(spent > 0.0019 && spent < 0.0021, String(spent))
})
