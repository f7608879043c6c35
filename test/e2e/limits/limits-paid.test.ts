import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer, type Behaviour, failure, rawBytes, silence, status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { idle } from '../../gateway/gateway-with-fakes.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Answers that are not delivered are booked, because their providers are paid all the same.

let scene: LimitsGateway
before(async () => {
  const drawing = { targets: [{ model: 'bfl/flux-pro-1.1' }], fallbacks: ['bfl/flux-pro-1.1-ultra'] }
  const env = { BFL_API_KEY: 'sk-fake-0123456789' }
  const single = { dialect: 'openai', auth: { scheme: 'none' }, completions: true, choices: 'one' }
  const models = [{ id: 'priced', price: { input: 1, output: 2 }, output: 1_000 }]
  const config = { aliases: { drawing }, providers: { single: { ...single, models } } }
  scene = await startLimitsGateway({}, env, { moves: ['BFL'], config })
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

const USAGE = { prompt_tokens: 100, completion_tokens: 1_000, total_tokens: 1_100 }
const CALLED = { id: 'call_1', type: 'function', function: { name: 'open', arguments: '{"door": "fr' } }
/** It costs 0.0021 USD, and its tool call breaks off. */
/** The head of an answer, and the beginning of its body. */
const BROKEN_OFF = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"choi'
const CUT_OFF = answer({ message: { tool_calls: [CALLED] }, usage: USAGE })

let made = 0
function budget(limit: number, more: object = {}) {
  return { id: `paid-${made++}`, appliesTo: 'all', limit, window: 'month', ...more }
}

async function spentOf({ id }: { id: string }): Promise<number> {
  await scene.gateway.gateway.services.calls.ledger.flush()
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

test('each of several requests is paid as one answer, wherever the caller has said how many it wants', async () => {
  // No answer of this model was seen yet, so each of them may have been as long as it was allowed to be.
  const asked = { model: 'chatting/endless', max_tokens: 100, n: 4 }
  const messages = [{ role: 'user', content: 'hi' }]
  for (const [path, body] of [
    ['/v3/completions', { ...asked, prompt: ['Once', 'Twice'] }],
    ['/v3/completions', { ...asked, prompt: 'Once', best_of: 4, stream: true }],
    ['/v3/chat/completions', { ...asked, messages, extra_body: { n: 4, options: { num_generations: 4 } } }],
  ] as const) {
    const limit = budget(1, { unit: 'output_tokens' })
    await scene.limit({ rateLimits: [{ ...limit, limit: 1_000 }] })
    scene.fake.reset()
    scene.fake.always(rawBytes(BROKEN_OFF))
    assert.equal((await scene.post(path, body)).status, 502)
    await scene.gateway.gateway.services.calls.ledger.flush()
    const { spent } = (await (await scene.admin('GET', `/admin/rate-limits/${limit.id}`)).json()) as { spent: number }
    assert.deepEqual([spent, scene.fake.requests.length % 4], [scene.fake.requests.length * 100, 0], path)
    assert.ok(scene.fake.requests.every(({ text }) => !/"(n|num_generations|best_of)"/.test(text)))
  }
})

test('a text completion whose provider gives one answer per request cannot have the best of more than it asks for', async () => {
  const row = { model: 'single/priced', prompt: 'Once', max_tokens: 9, n: 2, best_of: 3 }
  assert.equal((await scene.post('/v3/completions', row)).status, 422)
  assert.equal(scene.fake.requests.length, 0)
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

test('a caller who leaves before the answer has spent the prompt, and the answer that may have been written', async () => {
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
  assert.ok(spent > 0.0023 && spent < 0.0025, String(spent))
})

test('a model that made an image before another one was asked is paid, and so is the limit of it alone', async () => {
  const limit = budget(1, { models: ['bfl/flux-pro-1.1'] })
  // The other one is reserved for both models.
  await scene.limit({ budgets: [limit, budget(10)] })
  let tickets = 0
  const draw: Behaviour = (seen, response) => {
    const id = tickets++
    if (seen.path.endsWith('/flux-pro-1.1') && id < 2)
      return status(200, { id, polling_url: `${scene.fake.url}/get_result?id=${id}` })(seen, response)
    const made = { id: '0', status: 'Ready', result: { sample: 'https://cdn.example/door.png' } }
    return (seen.path.endsWith('id=0') ? status(200, made) : failure(500))(seen, response)
  }
  scene.fake.always(draw)
  const reply = await scene.post('/v3/images/generations', { model: 'drawing', prompt: 'A door', n: 2 })
  assert.equal(reply.status, 502, await reply.text())
  assert.ok(scene.fake.requests.some(({ path }) => path.endsWith('/flux-pro-1.1-ultra')))
  const spent = await spentOf(limit)
  // The second image was given up while its provider may have been at work.
  assert.equal(spent, 0.08)
})

test('a limit of one model is not charged for what another one costs, in whichever order they are asked', async () => {
  const limit = budget(1, { models: ['fake/priced'] })
  await scene.limit({ budgets: [limit] })
  scene.fake.next(failure(500))
  scene.fake.next(answer({ usage: USAGE }))
  const first = await scene.chat({ model: 'fake/priced', fallbacks: ['chatting/priced'] })
  assert.deepEqual([first.status, first.headers.get('x-gatehouse-model')], [200, 'chatting/priced'])
  const afterFirst = await spentOf(limit)
  scene.fake.reset()
  scene.fake.next(CUT_OFF)
  scene.fake.next(answer({ usage: USAGE }))
  const second = await scene.chat({ model: 'chatting/priced', fallbacks: ['fake/priced'] })
  assert.deepEqual([second.status, second.headers.get('x-gatehouse-model')], [200, 'fake/priced'])
  // Which part is whose is not known, so it is charged with no more than was reserved of it.
  const afterSecond = await spentOf(limit)
  assert.equal(afterFirst, 0)
  assert.ok(afterSecond > 0.002 && afterSecond <= 0.0021, String(afterSecond))
})
