import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { OpenAI } from 'openai'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import { answer, failure } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { openGateway } from '../../rehearse/open-gateway.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

// Retries of the gateway, and what clients are told about theirs.

const [one, two] = [await startFakeProvider(), await startFakeProvider()]
const waits: number[] = []
const NOW = Date.parse('2026-11-18T12:00:00Z')
const { gateway, chat, close } = await openGateway({
  config: {
    providers: {
      one: { dialect: 'openai', baseUrl: one.url },
      two: { dialect: 'openai', baseUrl: two.url },
    },
    retries: { two: 3, 'two/patient': 0 },
    aliases: { eager: { targets: [{ model: 'one/a' }], fallbacks: ['two/patient'], retries: 2 } },
  },
  overrides: {
    now: () => NOW,
    retries: new RetryBudget({ toBeginWith: 10_000 }),
    sleep: async (ms) => void waits.push(ms),
    backOffMs: () => 100,
  },
})
after(async () => {
  await Promise.all([one.close(), two.close()])
  await close()
})
beforeEach(() => {
  waits.length = 0
  for (const provider of [one, two]) provider.reset()
})

const FAILING = failure(500)
const LIMITED = failure(429, {}, { 'retry-after-ms': '10' })

test('by default: none before a fallback, and one without', async () => {
  one.always(FAILING)
  two.always(answer())
  assert.equal((await chat.whole({ model: 'one/a', fallbacks: ['two/b'], ...HELLO })).status, 200)
  assert.deepEqual([one.requests.length, waits], [1, []])
  assert.equal((await chat.whole({ model: 'one/a', ...HELLO })).status, 502)
  assert.deepEqual([one.requests.length, waits], [3, [100]])
})

test('an alias, a model, a provider and a request can say how many, the request above all', async () => {
  for (const provider of [one, two]) provider.always(FAILING)
  for (const [body, calls] of [
    [{ model: 'eager' }, [3, 3]],
    [{ model: 'two/b' }, [0, 4]],
    [{ model: 'two/patient' }, [0, 1]],
    [{ model: 'two/patient', routing: { retries: 5 } }, [0, 6]],
    [{ model: 'two/patient', num_retries: 5 }, [0, 6]],
    [{ model: 'two/patient', num_retries: 0 }, [0, 1]],
    [{ model: 'two/patient', num_retries: 9, routing: { retries: 1 } }, [0, 2]],
    [{ model: 'eager', routing: { retries: 0 } }, [1, 1]],
    [{ model: 'one/a', fallbacks: ['two/patient'], routing: { retries: 1 } }, [2, 2]],
  ] as const) {
    await chat.whole({ ...body, ...HELLO })
    assert.deepEqual([one.requests.length, two.requests.length], calls, JSON.stringify(body))
    for (const provider of [one, two]) provider.requests.length = 0
  }
  for (const retries of [-1, 6, 1.5, 'two'])
    assert.equal((await chat.whole({ model: 'one/a', routing: { retries }, ...HELLO })).status, 422)
})

test('Retry-After of the provider is the wait, in seconds or in milliseconds', async () => {
  one.next(failure(503, {}, { 'retry-after': '7' }))
  one.next(failure(429, {}, { 'retry-after': '9', 'retry-after-ms': '1500' }))
  assert.equal((await chat.whole({ model: 'one/a', routing: { retries: 2 }, ...HELLO })).status, 200)
  assert.deepEqual(waits, [7_000, 1_500])
})

test('it may also be a date, or come with the limits of the provider', async () => {
  for (const [headers, wait] of [
    [{ 'retry-after': 'Wed, 18 Nov 2026 12:00:20 GMT' }, [20_000]],
    [{ 'retry-after': 'Wednesday, 18-Nov-26 12:00:20 GMT' }, [20_000]],
    [{ 'retry-after': 'Wed Nov 18 12:00:20 2026' }, [20_000]],
    [{ 'retry-after': 'Wed, 18 Nov 2026 11:00:00 GMT' }, [100]],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '8.5s' }, [8_500]],
    // Longer than a call waits.
    [{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, []],
  ] as const) {
    waits.length = 0
    one.next(failure(429, {}, headers))
    await chat.whole({ model: 'one/a', ...HELLO })
    assert.deepEqual(waits, wait, JSON.stringify(headers))
  }
})

test('the retries of an SDK and ours do not multiply', async () => {
  one.always(LIMITED)
  const openai = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3` })
  await assert.rejects(openai.chat.completions.create({ model: 'one/a', messages: [{ role: 'user', content: 'x' }] }))
  // The first request and our retry of it, and the two retries of the SDK.
  assert.deepEqual([one.requests.length, waits.length], [4, 1])
  one.requests.length = 0
  const anthropic = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.url}/v3` })
  const body = { model: 'one/a', max_tokens: 9, messages: [{ role: 'user' as const, content: 'x' }] }
  await assert.rejects(anthropic.messages.create(body))
  assert.deepEqual([one.requests.length, waits.length], [4, 2])
})

test('an error says whether a retry is of use', async () => {
  for (const [behaviour, expected] of [
    [failure(429, {}, { 'retry-after': '7' }), ['7', '7000', null]],
    [failure(503, {}, { 'retry-after-ms': '250' }), ['1', '250', null]],
    [failure(429, {}, { 'retry-after': '60' }), ['60', '60000', null]],
    [failure(429, {}, { 'retry-after': '61' }), ['61', null, 'false']],
    [failure(429, {}, { 'retry-after': 'Wed, 18 Nov 2026 12:00:07 GMT' }), ['7', '7000', null]],
    [failure(429, {}, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }), ['86400', null, 'false']],
    [failure(500), [null, null, null]],
    [failure(401), [null, null, 'false']],
    [failure(400), [null, null, 'false']],
    [failure(413), [null, null, 'false']],
    [failure(451), [null, null, 'false']],
  ] as const) {
    one.always(behaviour)
    const { headers } = await chat.whole({ model: 'one/a', routing: { retries: 0 }, ...HELLO })
    const told = ['retry-after', 'retry-after-ms', 'x-should-retry'].map((name) => headers.get(name))
    assert.deepEqual(told, expected)
  }
  for (const [path, init] of [
    ['/v3/nothing', {}],
    ['/v3/models', { headers: { authorization: 'Bearer wrong' } }],
    ['/v3/chat/completions', { method: 'PUT' }],
    ['/v3/chat/completions', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
  ] as [string, RequestInit][]) {
    const headers = { authorization: `Bearer ${API_KEY}`, ...(init.headers as object) }
    const response = await fetch(gateway.url + path, { ...init, headers })
    assert.equal(response.headers.get('x-should-retry'), 'false', `${path} ${response.status}`)
  }
})

test('in every format, a wrong key, an unknown model and a bad body are errors that clients do not retry', async () => {
  const model = 'one/a'
  for (const [path, body] of [
    ['/v3/chat/completions', { model, ...HELLO }],
    ['/v3/responses', { model, input: 'Hello' }],
    ['/v3/v1/messages', { model, max_tokens: 9, ...HELLO }],
    ['/v3/v1beta/models/one/a:generateContent', { contents: [{ parts: [{ text: 'Hello' }] }] }],
    ['/v3/v1beta/models/one/a:streamGenerateContent', { contents: [{ parts: [{ text: 'Hello' }] }] }],
  ] as const)
    for (const [key, at, sent, expected] of [
      ['wrong', path, body, 401],
      [API_KEY, path.replace('one/a', 'unknown/x'), { ...body, model: 'unknown/x' }, 404],
      [API_KEY, path, { model }, 422],
      // Gemini's paths say whether the answer is a stream.
      [API_KEY, path, path.includes('v1beta') ? body : { ...body, stream: true }, 400],
    ] as const) {
      one.always(failure(400))
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const reply = await fetch(gateway.url + at, { method: 'POST', headers, body: JSON.stringify(sent) })
      assert.deepEqual([reply.status, reply.headers.get('x-should-retry')], [expected, 'false'], `${at} ${expected}`)
    }
})
