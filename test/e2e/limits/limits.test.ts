import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer, status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

const USER = { role: 'user', content: 'Hello!' }
let made = 0
/** Every test has limits of its own, because what was spent of a limit stays with its id. */
function budget(limit: number, more: object = {}) {
  return { id: `budget-${made++}`, appliesTo: 'all', limit, window: 'month', ...more }
}

function rate(limit: number, more: object = {}) {
  return { id: `rate-${made++}`, appliesTo: 'all', unit: 'requests', limit, window: 'hour', ...more }
}

test('a budget pays calls until the next one does not fit, and then no provider is called', async () => {
  // A call reserves 1,000 output tokens for 0.002 USD and a little for its input, and costs far less.
  await scene.limit({ budgets: [budget(0.0022, { onExceeded: 'refuse' })] })
  const statuses: number[] = []
  for (let count = 0; count < 40 && !statuses.includes(402); count++) statuses.push((await scene.chat()).status)
  assert.equal(statuses[0], 200)
  assert.equal(statuses.at(-1), 402)
  assert.equal(scene.fake.requests.length, statuses.length - 1)
})

test('a refusal says what is exhausted, and that it does not help to try again', async () => {
  const limits = [budget(0.0001, { onExceeded: 'refuse', timezone: 'Europe/Paris' })]
  await scene.limit({ budgets: limits })
  const response = await scene.chat()
  assert.equal(response.headers.get('retry-after'), null)
  assert.equal(response.headers.get('x-should-retry'), 'false')
  const error = await errorIn(response, 402)
  assert.equal(error.code, 'budget_exhausted')
  assert.equal(error.type, 'insufficient_quota')
  assert.deepEqual(
    [error.limit_id, error.limit, error.spent, error.reserved],
    [limits[0]!.id, '0.0001', '0.00', '0.00'],
  )
  assert.match(String(error.needed), /^0\.002\d+$/)
  assert.match(String(error.resets_at), /^\d{4}-\d\d-\d\dT2[23]:00:00\.000Z$/)
  assert.equal(scene.fake.requests.length, 0)
})

test('the answer is shortened to what can be paid, with a note, and refused if that is too little', async () => {
  await scene.limit({ budgets: [budget(0.001)] })
  const response = await scene.chat({ max_tokens: 100_000 }, { 'x-gatehouse-metadata': 'enabled' })
  const { gatehouse } = (await response.json()) as { gatehouse: { notes: { field: string; action: string }[] } }
  assert.equal(response.status, 200)
  const { max_tokens } = scene.fake.requests[0]!.body as { max_tokens: number }
  assert.ok(max_tokens >= 256 && max_tokens < 500, String(max_tokens))
  assert.ok(gatehouse.notes.some(({ field, action }) => field === 'max_tokens' && action === 'lowered'))
  await scene.limit({ budgets: [budget(0.0004)] })
  const error = await errorIn(await scene.chat({ max_tokens: 100_000 }), 402)
  assert.match(String(error.message), /could pay for \d+ tokens/)
  // A caller who asked for fewer tokens gets them.
  assert.equal((await scene.chat({ max_tokens: 100 })).status, 200)
})

test('several answers are shortened together, whether one request asks for them or many do', async () => {
  const asked = { model: 'fake/priced', prompt: ['Once', 'Twice'], n: 2, max_tokens: 100_000 }
  const bodies: [string, object, number][] = [
    ['/v3/completions', asked, 4],
    ['/v3/completions', { ...asked, model: 'chatting/priced' }, 4],
    ['/v3/chat/completions', { ...asked, model: 'chatting/priced', prompt: undefined, messages: [USER], n: 3 }, 3],
  ]
  for (const [path, body, answers] of bodies) {
    scene.fake.reset()
    // Pays for 2,000 tokens of all answers together, and a little for the prompts.
    await scene.limit({ budgets: [budget(0.0045)] })
    await (await scene.post(path, body)).arrayBuffer()
    const lengths = scene.fake.requests.map((one) => (one.body as { max_tokens: number }).max_tokens)
    assert.ok(
      lengths.length > 0 && lengths.every((length) => length >= 100 && length * answers <= 2_250),
      String(lengths),
    )
  }
})

test('an answer without a limit gets one, because it could cost more than was reserved', async () => {
  await scene.limit({ budgets: [budget(10)] })
  const { status } = await scene.chat({ model: 'fake/endless', max_tokens: undefined })
  assert.equal(status, 200)
  assert.equal((scene.fake.requests[0]!.body as Record<string, unknown>).max_completion_tokens, 4_096)
})

test('a model without a price is refused with the line to add, unless a price is assumed', async () => {
  await scene.limit({ budgets: [budget(10)] })
  const error = await errorIn(await scene.chat({ model: 'fake/unpriced' }), 402)
  assert.equal(error.code, 'budget_unpriced')
  assert.match(String(error.message), /"prices": \{ "fake\/unpriced": \{ "input": 1, "output": 2 \} \}/)
  assert.equal(scene.fake.requests.length, 0)
  await scene.limit({ budgets: [budget(10, { assume: { input: 1, output: 2 } })] })
  assert.equal((await scene.chat({ model: 'fake/unpriced' })).status, 200)
  await scene.limit({ budgets: [budget(0)] })
  assert.equal((await scene.chat({ model: 'sandbox/echo' })).status, 200)
})

test('a limit of one model makes the next target answer, and each attempt is reserved', async () => {
  await scene.limit({ budgets: [budget(0, { models: ['fake/priced'] })] })
  const response = await scene.chat({ fallbacks: ['fake/other'] })
  assert.equal(((await response.json()) as { model: string }).model, 'fake/other')
  assert.deepEqual(
    scene.fake.requests.map(({ body }) => (body as { model: string }).model),
    ['other'],
  )
})

test('an attempt that failed without a cost leaves its reservation to the next one', async () => {
  await scene.limit({ budgets: [budget(0.003, { onExceeded: 'refuse' })] })
  scene.fake.next(status(500, 'broken'))
  assert.equal((await scene.chat({ fallbacks: ['fake/other'] })).status, 200)
  assert.equal(scene.fake.requests.length, 2)
})

test('requests are limited for each key, with the time to wait', async () => {
  await scene.limit({ rateLimits: [rate(2, { per: 'key' })] })
  const statuses = [(await scene.chat()).status, (await scene.chat()).status]
  const refused = await scene.chat()
  assert.deepEqual(statuses, [200, 200])
  assert.ok(Number(refused.headers.get('retry-after')) > 1_700)
  assert.equal(refused.headers.get('retry-after-ms'), null)
  assert.equal(refused.headers.get('x-should-retry'), 'false')
  const error = await errorIn(refused, 429)
  assert.deepEqual([error.code, error.type, error.limit], ['rate_limit_exceeded', 'rate_limit_error', 2])
  assert.equal(scene.fake.requests.length, 2)
})

test('a rate that is smaller than a call lets one call through, and no other until that is old', async () => {
  await scene.limit({ rateLimits: [rate(10, { unit: 'tokens', onExceeded: 'refuse' })] })
  assert.equal((await scene.chat({ max_tokens: 2_000 })).status, 200)
  assert.equal((await scene.chat({ max_tokens: 1 })).status, 429)
  // Limits of longer windows are for such calls: they bound a single one, too.
  await scene.limit({ rateLimits: [rate(10, { unit: 'tokens', onExceeded: 'refuse', window: 'day' })] })
  assert.equal((await scene.chat({ max_tokens: 2_000 })).status, 429)
  assert.equal(scene.fake.requests.length, 1)
})

test('answers say what is left, in the headers that their clients read', async () => {
  // A request comes back after a minute, which is far longer than this test takes.
  const [rpm, tpm] = [rate(2, { window: 'minute' }), rate(40_000, { unit: 'tokens', window: 'minute' })]
  await scene.limit({ rateLimits: [rpm, tpm, rate(5, { unit: 'concurrent', window: undefined, id: 'slots' })] })
  const { headers } = await scene.chat()
  assert.equal(headers.get('x-ratelimit-limit-requests'), '2')
  assert.equal(headers.get('x-ratelimit-remaining-requests'), '1')
  assert.match(headers.get('x-ratelimit-reset-requests')!, /^(1m0s|\d\ds)$/)
  assert.equal(headers.get('x-ratelimit-limit-tokens'), '40000')
  assert.ok(Number(headers.get('x-ratelimit-remaining-tokens')) > 38_000)
  const tokens = `"${tpm.id}";q=40000;w=60;qu="tokens"`
  assert.equal(headers.get('ratelimit-policy'), `"slots";q=5;qu="concurrent-requests", "${rpm.id}";q=2;w=60, ${tokens}`)
  assert.match(
    headers.get('ratelimit')!,
    new RegExp(`^"slots";r=\\d, "${rpm.id}";r=1;t=\\d\\d, "${tpm.id}";r=\\d+;t=\\d+$`),
  )
  const body = { model: 'fake/priced', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
  const message = await scene.post('/v3/v1/messages', body)
  assert.equal(message.status, 200)
  assert.equal(message.headers.get('anthropic-ratelimit-requests-limit'), '2')
  assert.equal(message.headers.get('anthropic-ratelimit-requests-remaining'), '0')
  assert.match(message.headers.get('anthropic-ratelimit-requests-reset')!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.equal(message.headers.get('x-ratelimit-limit-requests'), null)
})

test('refusals have the shape of the client’s format', async () => {
  await scene.limit({ budgets: [budget(0)] })
  const messages = [{ role: 'user', content: 'hi' }]
  const anthropic = await scene.post('/v3/v1/messages', { model: 'fake/priced', max_tokens: 9, messages })
  const { type, error } = (await anthropic.json()) as { type: string; error: { type: string; code: string } }
  assert.deepEqual(
    [anthropic.status, type, error.type, error.code],
    [402, 'error', 'billing_error', 'budget_exhausted'],
  )
  assert.equal(anthropic.headers.get('x-should-retry'), 'false')
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
  const gemini = await scene.post('/v3/v1beta/models/fake/priced:generateContent', { contents })
  const google = (await gemini.json()) as { error: { code: number; status: string } }
  assert.deepEqual([gemini.status, google.error.code, google.error.status], [402, 402, 'FAILED_PRECONDITION'])
  await scene.limit({ rateLimits: [rate(1, { window: 'minute' })] })
  await scene.chat()
  const limited = await scene.post('/v3/v1/messages', { model: 'fake/priced', max_tokens: 9, messages })
  assert.equal(((await limited.json()) as { error: { type: string } }).error.type, 'rate_limit_error')
  const [seconds, ms] = ['retry-after', 'retry-after-ms'].map((name) => Number(limited.headers.get(name)))
  // A busy machine takes seconds for these two calls.
  assert.ok(seconds! >= 20 && seconds! <= 60 && ms! > 20_000 && ms! <= 60_000)
  assert.equal(limited.headers.get('x-should-retry'), null)
})

test('Codex is told of an empty budget inside of the stream, which makes it stop; other clients get a 402', async () => {
  await scene.limit({ budgets: [budget(0)] })
  const url = `${scene.gateway.url}/v3/responses`
  const body = JSON.stringify({ model: 'fake/priced', input: 'hi', stream: true })
  const ask = (client: string) =>
    fetch(url, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'user-agent': client },
    })
  assert.equal((await errorIn(await ask('OpenAI/Python 2.0'), 402)).code, 'budget_exhausted')
  const told = await ask('codex_exec/0.169.0 (Debian 12.0.0; x86_64)')
  assert.equal(told.status, 200)
  assert.match(await told.text(), /"type":"response.failed".*"error":\{"code":"insufficient_quota"/)
})

test('calls at the same time are limited, and the end of one makes room for the next', async () => {
  await scene.limit({ rateLimits: [rate(1, { unit: 'concurrent', window: undefined })] })
  const release = Promise.withResolvers<void>()
  scene.fake.next(async (request, response) => {
    await release.promise
    await answer()(request, response)
  })
  const first = scene.chat()
  await scene.fake.request(0)
  await errorIn(await scene.chat(), 429)
  release.resolve()
  assert.equal((await first).status, 200)
  assert.equal((await scene.chat()).status, 200)
})

test('a shadow limit refuses nothing and is counted', async () => {
  const shadow = budget(0, { mode: 'shadow' })
  await scene.limit({ budgets: [shadow] })
  assert.equal((await scene.chat()).status, 200)
  const metrics = await (await scene.admin('GET', '/metrics')).text()
  assert.match(metrics, new RegExp(`gatehouse_limit_shadow_exceeded_total\\{[^}]*limit="${shadow.id}"[^}]*\\} [1-9]`))
})

test('limits are restricted by end user, tag and endpoint, and counted apart for each end user', async () => {
  const refuse = { onExceeded: 'refuse' }
  await scene.limit({
    budgets: [
      budget(0, { ...refuse, appliesTo: 'end_user:alice' }),
      budget(0, { ...refuse, tags: { team: 'search' } }),
      budget(0, { ...refuse, endpoints: ['images'] }),
    ],
  })
  assert.equal((await scene.chat()).status, 200)
  assert.equal((await scene.chat({ user: 'alice' })).status, 402)
  assert.equal((await scene.chat({ user: 'bob' })).status, 200)
  assert.equal((await scene.chat({}, { 'x-gatehouse-tags': 'team=search' })).status, 402)
  await scene.limit({ rateLimits: [rate(1, { per: 'end_user' })] })
  const statuses = ['a', 'b', 'a', undefined, undefined].map((user) => scene.chat({ user }))
  assert.deepEqual((await Promise.all(statuses)).map((one) => one.status).sort(), [200, 200, 200, 429, 429])
})

test('what the provider bills beyond the worst case is booked in full and counted', async () => {
  const small = budget(1, { onExceeded: 'refuse' })
  await scene.limit({ budgets: [small] })
  scene.fake.next(answer({ usage: { prompt_tokens: 900_000, completion_tokens: 1, total_tokens: 900_001 } }))
  assert.equal((await scene.chat()).status, 200)
  const metrics = await (await scene.admin('GET', '/metrics')).text()
  assert.match(metrics, new RegExp(`gatehouse_budget_overrun_total\\{[^}]*limit="${small.id}"[^}]*\\} 1`))
  await scene.gateway.gateway.services.calls.ledger.flush()
  const error = await errorIn(await scene.chat({ max_tokens: 60_000 }), 402)
  assert.equal(error.spent, '0.900002')
})
